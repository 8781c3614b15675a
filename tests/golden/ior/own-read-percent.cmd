# a file is made first
--read-percent 70 -t 4k -b 4m -z
