# the small-file sizes of IO500 hard
-t 47008 -b 940160
