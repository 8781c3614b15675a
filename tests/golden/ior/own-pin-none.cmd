# the plan of no option at all
--pin none --pin-order auto --nic auto --membind auto --huge-pages=0 --drop-caches none
