# refused here: posix.lustre.pool
--posix.lustre.pool=fast
