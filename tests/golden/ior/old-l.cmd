# a flag in the oldest releases: the words name the one that means the same
-l -w
