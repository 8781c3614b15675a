# -R alone reads too
-w -W -R
