# our own words are directives, and are inherited
-f load.ior
