if=/dev/zero of=f%r bs=4K count=64 -a null --depth 8
