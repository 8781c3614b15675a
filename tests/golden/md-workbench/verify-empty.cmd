# objects without bytes are not verified
-X -S 0 --arrivals poisson
