# rank 0 makes the trees of all ranks
-c -u -n 8
