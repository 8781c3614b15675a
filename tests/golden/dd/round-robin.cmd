if=/dev/zero of=f%r count=1 --rank-order round-robin
