# IOR would read 2 percent
-M 2g
