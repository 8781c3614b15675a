# remarks
-C -D -n 8 -w 1k -e 1k -y -k=0 -R
