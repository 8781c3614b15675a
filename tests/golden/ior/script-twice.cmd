# the last one counts
-f script.ior -f run-twice.ior
