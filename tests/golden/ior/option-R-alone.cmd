# IOR needs -G here
-R
