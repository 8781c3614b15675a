# without -t all lines of the list
-i 0 -s 1m -+m hosts
