# options are the defaults of the first test, before or after -f
-i 3 -f script.ior -F
