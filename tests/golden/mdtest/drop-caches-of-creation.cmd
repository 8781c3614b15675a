# a remark
--drop-caches node -C -n 8 -F
