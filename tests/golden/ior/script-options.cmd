# keys may be typed as options are, letters one by one
-f options.ior
