# on what an earlier run has made
--also lookup -T -n 8 -F
