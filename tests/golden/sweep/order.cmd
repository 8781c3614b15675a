order=sequential,random --packed -- ior -w -t 4k -o /scratch/f
