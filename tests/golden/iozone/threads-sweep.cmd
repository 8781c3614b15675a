# each count for itself
-t 1 -t 2 -t 4 -i 0 -i 1 -s 2m -r 64k -R
