# only the first line is kept
-f show-help.ior
