# change nothing, and a remark says so
-T -P 0 -S 2048 -L 64 -+c a -+h b -+H c -+i 1 -+P 2 -i 0 -x
