# a chain of renames needs two
-n 1 -D
