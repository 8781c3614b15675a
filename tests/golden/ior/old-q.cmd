# a letter of 2.10
-q -w -W -R
