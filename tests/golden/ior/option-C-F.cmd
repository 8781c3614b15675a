# each removes the file that it read
-C -F
