# refused here: posix.lustre.stripesize
-O lustreStripeSize=1m
