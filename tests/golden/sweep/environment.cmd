# environment: WEIR_OVERWRITE=1
ranks=1,2 -- ior -w -o /scratch/f
