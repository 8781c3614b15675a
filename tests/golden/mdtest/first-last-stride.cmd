# tests of 2, 5 and 8 ranks
-f 2 -l 9 -s 3 -n 8 -F
