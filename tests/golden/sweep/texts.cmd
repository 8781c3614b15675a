data=stamp,none -- ior -w -o /scratch/f
