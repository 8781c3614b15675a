# a comment ends with its piece, as in IOR
-f bad-comma.ior
