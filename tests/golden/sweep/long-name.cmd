randomPrefill=1m,2m --limit 5GB/s -- ior -w -z -t 4k -b 4m -o /scratch/f
