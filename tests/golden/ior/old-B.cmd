# old IOR
-B
