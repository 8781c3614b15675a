# options with nothing to do are remarks
-z -F -t 1m -b 1m --arrivals poisson
