# refused here: posix.lustre.startost
--lustreStartOST=0
