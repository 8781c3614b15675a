# Nothing moves, so tasks may stop where they are.
-2 --read-only -w 10 -R 1
