# One file for all ranks, but not in silence: %R is no pattern.
if=/dev/zero of=/mnt/f%R count=1
