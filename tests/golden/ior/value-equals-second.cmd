# only the first = counts
-o=a=b
