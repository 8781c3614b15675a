backend=posix,null -- md-workbench -P 10 -I 10 -o /scratch/sets
