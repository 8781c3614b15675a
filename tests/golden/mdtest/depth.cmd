# ours, and not the depth of the tree
-a uring --depth 32 -n 8 -F
