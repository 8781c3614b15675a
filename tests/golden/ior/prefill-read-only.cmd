# a read fills nothing
-r -z --randomPrefill=512k
