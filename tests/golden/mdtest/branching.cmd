# 13 directories
-b 3 -z 2 -n 26 -F
