# whole names only, as in IOR
--transfer=1m
