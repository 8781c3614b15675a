# -k wins: nothing is removed
-k -K
