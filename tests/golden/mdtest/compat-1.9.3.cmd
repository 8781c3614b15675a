# a # before the directories
--compat 1.9.3 -n 8 -F
