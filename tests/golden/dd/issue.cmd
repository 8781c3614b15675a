# The command line of 220 clients with a file each.
if=/dev/zero of=/mnt/f%r bs=1M count=1024 conv=fsync
