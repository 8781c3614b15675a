# a comment ends with its piece
-O "transferSize=1m # of 4, keepFile=1"
