ranks=1,3 total=10m -- ior -w -t 1m -s 2 -o /scratch/f
