transfer=4k..1m*16 segments=1,32 -- ior -r -b 1m -o /scratch/f
