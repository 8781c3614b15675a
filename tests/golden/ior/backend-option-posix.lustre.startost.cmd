# refused here: posix.lustre.startost
--posix.lustre.startost=0
