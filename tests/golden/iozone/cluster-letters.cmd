# letters in a cluster, the last with its value
-azRi 0 -i1 -n 64 -g 32m -y 4k -q 64k -+x 4
