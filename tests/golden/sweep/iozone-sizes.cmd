transfer=64k,1m size=4m,8m -- iozone -i 0
