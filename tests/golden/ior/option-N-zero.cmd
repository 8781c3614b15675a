# all of them, up to 3.3
-N 0
