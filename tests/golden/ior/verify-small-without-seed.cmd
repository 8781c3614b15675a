# too small for a stamp
-R -t 32 -b 32
