/mnt/a
