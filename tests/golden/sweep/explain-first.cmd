ranks=1 --explain -- ior -w -o /scratch/f
