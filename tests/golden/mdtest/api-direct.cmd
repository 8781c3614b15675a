# an option of a backend
-a POSIX --posix.odirect -n 8 -F -w 4k -e 4k
