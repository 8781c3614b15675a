# refused here: posix.lustre.stripecount
--lustreStripeCount=4
