# small records of large files are skipped without -z
-a -i 0 -n 16m -g 32m -y 32k -q 64k
