# refused here: posix.gpfs.finegrainwritesharing
--posix.gpfs.finegrainwritesharing
