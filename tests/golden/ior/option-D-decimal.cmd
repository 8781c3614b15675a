# IOR would read this as 0
-D 0.1
