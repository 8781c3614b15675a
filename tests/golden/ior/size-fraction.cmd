# IOR would read this as 1 byte
-b 1.5g -t 512k
