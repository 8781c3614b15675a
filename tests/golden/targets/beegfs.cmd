# environment: PATH=../../mocks/bin:$PATH
--beegfs "/scratch/a b" -i 1 --ranks-per-target 2
