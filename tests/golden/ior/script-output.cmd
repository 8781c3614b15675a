# output is as the last test left it
-f summary-always.ior
