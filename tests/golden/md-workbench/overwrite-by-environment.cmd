# environment: WEIR_OVERWRITE=1
-1 -P 8
