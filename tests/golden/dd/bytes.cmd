if=/dev/zero of=/mnt/100%%-%r bs=3000 count=30kB skip=0 seek=0
