# refused here: posix.lustre.stripecount
-O lustreStripeCount=4
