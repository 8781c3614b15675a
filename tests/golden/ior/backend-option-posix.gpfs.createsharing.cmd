# refused here: posix.gpfs.createsharing
--posix.gpfs.createsharing
