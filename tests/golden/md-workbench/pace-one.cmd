# only the option that was given is named
-1 -t 0.5 -P 8 -I 8
