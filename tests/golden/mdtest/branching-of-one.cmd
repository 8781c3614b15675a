# a path of 4 directories
-b 1 -z 3 -n 8 -F
