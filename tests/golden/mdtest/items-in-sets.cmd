# 4 sets of directories, with 5 items in each directory
-n 20 -I 5 -z 1 -b 2 -F
