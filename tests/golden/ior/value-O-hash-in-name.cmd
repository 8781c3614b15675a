# a comment, as in IOR
-O testFile=a#b
