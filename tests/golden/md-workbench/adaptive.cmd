# Each iteration eight times: the lines show at which waiting time the rate begins to fall.
-T -R 1 -D 1 -P 8 -I 8
