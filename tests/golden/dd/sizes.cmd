# 2 x 3 x 512 bytes, and 6 Mi of these.
if=/dev/urandom of=/mnt/f%r bs=2x3b count=2x3xM iflag=fullblock
