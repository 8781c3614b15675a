# the check reads one node further
-C -w -W -r
