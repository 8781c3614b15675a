# IOR warns and takes 1
-i -3
