# one sentence, for the first
-w --nosuch -t x
