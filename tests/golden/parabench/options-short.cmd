# The letters of the original.
-e -s -c -d -a -w suffixes.pbl --root /x
