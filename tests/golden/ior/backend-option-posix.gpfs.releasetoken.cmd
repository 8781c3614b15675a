# refused here: posix.gpfs.releasetoken
--posix.gpfs.releasetoken
