/mnt/a /mnt/b --alone-only --read-only -i=1
