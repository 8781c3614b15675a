# A file for each operation of each iteration on task 0.
-L lat -R 2 -P 8 -I 8 -t 0.5
