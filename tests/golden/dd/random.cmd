if=/dev/urandom of=f%r count=1
