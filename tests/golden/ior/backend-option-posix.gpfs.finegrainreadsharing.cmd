# refused here: posix.gpfs.finegrainreadsharing
--posix.gpfs.finegrainreadsharing
