# in each of 4 directories
-I 5 -z 2 -b 2 -F -L
