if=/dev/zero of=f%r count=1 --rank-order packed --rate 200m --nic eth0 --pin nic
