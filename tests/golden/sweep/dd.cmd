transfer=4k,1m ranks=2 total=8m -- dd if=/dev/zero of=/scratch/f%r
