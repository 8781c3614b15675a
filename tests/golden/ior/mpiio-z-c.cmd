# IOR refuses this
-a MPIIO -z -c
