# refused here: posix.gpfs.hintaccess
--gpfsHintAccess
