# the files are of an earlier run
-E -e 3901 -n 8 -F
