# a remark
-t -u -n 8 -F
