# the second one, on the files of the first
-i 2 -w -c -O -I -r 4K -s 64m -t 4 -+n -+m hosts
