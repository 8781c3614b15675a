# /mnt0/data.00000000
-y -F -o /mnt
