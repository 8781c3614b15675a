# 7 directories, 1 item each; a remark
-n 10 -z 2 -b 2 -F
