# all tasks get a core
--pin core -w
