# -C takes no value; IOR ends here too
-C 1
