# only the name of the program is kept
--version
