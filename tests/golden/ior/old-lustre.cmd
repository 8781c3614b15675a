# most published recipes for Lustre
-O lustreStripeCount=4,lustreStripeSize=1m
