# each test begins where the one before it ended
-f inherit.ior
