# counts files
-W 300 -x /x/count -n 1m
