# nothing is asked for but a number: all phases, on directories and files
-n 8
