# read of what an earlier run wrote
-R -G 7
