# the first of the two published command lines
-i 0 -i 1 -c -e -w -r 1m -I -s 64m -t 4 -+n -+m hosts
