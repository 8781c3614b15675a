# only the first line is kept
--help
