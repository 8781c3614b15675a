# each option of the dialect
/mnt/a /mnt/b -a posix -i 5 --size 1g --transfer 4m --ranks-per-target 2 --buffered --keep --limit 5.5GB/s --limit-together 10GiB/s --format json --summary-file /x/s.json --warnings-as-errors --drop-caches files
