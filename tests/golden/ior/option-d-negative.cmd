# IOR warns and takes 0
-d -1
