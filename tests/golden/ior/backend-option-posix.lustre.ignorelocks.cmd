# refused here: posix.lustre.ignorelocks
--posix.lustre.ignorelocks
