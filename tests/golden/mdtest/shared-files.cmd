# no directories, and rank 0 removes the files
-S -n 8
