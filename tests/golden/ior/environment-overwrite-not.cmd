# environment: WEIR_OVERWRITE=0
-r
