# refused here: posix.lustre.ignorelocks
-O lustreIgnoreLocks=1
