# refused here: posix.gpfs.hintaccess
-O gpfsHintAccess=1
