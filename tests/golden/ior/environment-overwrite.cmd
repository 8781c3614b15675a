# environment: WEIR_OVERWRITE=1
-r
