# nothing is read
-1 -X
