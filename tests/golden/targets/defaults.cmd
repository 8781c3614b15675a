/mnt/a /mnt/b/ /mnt/c
