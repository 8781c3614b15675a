# K, M, G and T are powers of 1024 in either case, which is remarked once.
suffixes.pbl --root /x
