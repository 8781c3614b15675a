# refused here: posix.lustre.stripecount
--posix.lustre.stripecount=4
