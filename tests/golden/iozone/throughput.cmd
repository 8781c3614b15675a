# all tests of children; the files go behind the last
-t 2 -s 4m -r 64k
