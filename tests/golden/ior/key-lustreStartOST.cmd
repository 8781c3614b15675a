# refused here: posix.lustre.startost
-O lustreStartOST=0
