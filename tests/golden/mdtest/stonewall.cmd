# later phases work on what was made
-W 300 -n 1m -F
