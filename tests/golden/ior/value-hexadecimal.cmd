# IOR would read 0
-b 0x10
