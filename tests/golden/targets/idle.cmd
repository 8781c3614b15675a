# options with nothing to do are remarks
/mnt/a --write allow --limit-together 5GB/s --alone-only --size 1g
