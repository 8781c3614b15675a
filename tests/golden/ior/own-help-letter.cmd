# only the first line is kept
-h
