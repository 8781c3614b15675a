# stamps say what the data were written with
-X -E -e 4k -n 8 -F
