# in a shared file other tasks' transfers are there to choose from
-z -t 1m -b 1m
