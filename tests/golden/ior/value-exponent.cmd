# IOR would read 1
-b 1e6
