# refused here: posix.lustre.stripesize
--posix.lustre.stripesize=1m
