# most published recipes for Lustre
# refused here: posix.lustre.stripecount
-O lustreStripeCount=4,lustreStripeSize=1m
