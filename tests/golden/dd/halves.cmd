if=/dev/zero of=/mnt/f%r ibs=64KiB obs=64K count=2
