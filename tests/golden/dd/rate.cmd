if=/dev/zero of=f%r count=1 --rate 1000 --rate-of rank --arrivals poisson
