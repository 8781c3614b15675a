if=/dev/zero of=/mnt/100% bs=1M count=64 oflag=direct,dsync conv=fdatasync,notrunc status=none
