# refused here: posix.lustre.stripesize
--lustreStripeSize=1m
