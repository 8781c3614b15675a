# options with nothing to do are remarks
-X --verify-write -D -n 8
