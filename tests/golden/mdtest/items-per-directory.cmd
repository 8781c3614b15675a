# in each of 7 directories
-I 5 -z 2 -b 2 -F
