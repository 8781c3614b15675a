# refused here: posix.lustre.ignorelocks
--lustreIgnoreLocks
