# IOR would also set -m
-t1m -b4m
