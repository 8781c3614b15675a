# IOR refuses this
-z -w -R
