# MPI-IO after a pattern; the mode of pfopen and a third argument of pread change nothing.
patterns.pbl --backend mpiio -g a:1 -g b:3 --anywhere
