# one stream, tests 0 to 7: the last two through stdio
-f /x/iozone.tmp
