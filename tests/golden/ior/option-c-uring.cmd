# none is collective
-a uring -c
