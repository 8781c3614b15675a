if=/mnt/f%r of=/dev/null bs=1M count=1024 iflag=direct,fullblock status=progress
