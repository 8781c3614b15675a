# options with nothing to do are remarks
-X -C -e 4k -w 4k -n 8 --rate-of job
