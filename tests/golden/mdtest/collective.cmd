# the tree is made by rank 0 anyway
-c -n 8
