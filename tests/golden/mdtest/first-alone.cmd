# a remark
-f 2 -n 8 -F
