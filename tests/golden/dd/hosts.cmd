if=/dev/zero of=f%r count=1 --rank-order n2,n1,n2 --each-rank --summaryFile out.txt --api POSIX
