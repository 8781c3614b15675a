# What is typed goes before ibs and obs, as with dd, though it is what stands there if nothing is typed.
if=/dev/zero of=/mnt/f%r bs=512 ibs=4K obs=1K count=1
