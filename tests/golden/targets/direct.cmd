# direct is what it is
/mnt/a /mnt/b -a direct
