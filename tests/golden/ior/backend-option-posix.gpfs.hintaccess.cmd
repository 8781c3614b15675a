# refused here: posix.gpfs.hintaccess
--posix.gpfs.hintaccess
