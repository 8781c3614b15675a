# environment: WEIR_OVERWRITE=1
-n 8 -F
