# only what is timed is searched
-a uring --depth auto -w -W -r -z --randomPrefill=1m
