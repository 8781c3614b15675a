ranks=1,2 total=8m -- iozone -i 0 -r 64k -+n
