# the same as once
-C -C
