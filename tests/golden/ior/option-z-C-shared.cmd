# IOR refuses this
-z -C -r
