# not after the tree
-Y -n 8
