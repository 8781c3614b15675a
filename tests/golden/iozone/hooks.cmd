# environment: IMON_START="/bin/start it" IMON_STOP=/bin/stop
-t 1 -i 0 -i 7 -s 1m
