ranks=1..32x2 total=8g -- ior -w -r -t 1m -i 3 -F -o /scratch/f
