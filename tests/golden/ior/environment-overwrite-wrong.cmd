# environment: WEIR_OVERWRITE=yes
-r
