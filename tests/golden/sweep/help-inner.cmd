ranks=1,2 -- ior --help
