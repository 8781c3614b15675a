# only the options that were given are named
-s 4k -r 4k -i 0 -y 4k -S 4 -+p 50
