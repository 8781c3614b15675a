# the tree alone; a remark
-z 3 -b 4
