# Words that change nothing are remarks.
-1 -w 10 -W -t 1 -T -P 8 -I 8
