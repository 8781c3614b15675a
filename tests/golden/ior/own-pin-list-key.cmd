# commas end a directive
-O pin=list:0-3+8 -w
