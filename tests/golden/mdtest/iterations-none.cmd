# a remark
-i 0 -n 8 -F
