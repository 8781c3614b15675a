# reads that verify have the depth, too
-a uring --depth 64 -w -W -R
