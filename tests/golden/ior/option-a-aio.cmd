# depth and batch as in IOR
-a AIO
