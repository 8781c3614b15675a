# the second is no directive
-f marks.ior
