ranks=1,2 -- dd if=/dev/zero of=/scratch/f%r bs=1M count=4
