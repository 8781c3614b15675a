# all combinations, in the order given
-s 8m -s 4m -r 128k -r 64k -i 0 -i 1
