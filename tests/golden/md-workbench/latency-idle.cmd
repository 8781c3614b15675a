# Words that change nothing are remarks.
-1 -L lat -P 8 -I 8
