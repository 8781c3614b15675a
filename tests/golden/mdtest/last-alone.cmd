# tests of 1, 2 and 3 ranks
-l 3 -n 8 -F -C
