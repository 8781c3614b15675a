# a remark
-U -C -F -n 8
