# What we add.
params.pbl --backend posix --on-error 3 --time-limit 90min --root /x --seed 7 --think 10ms --events 0 --rate 100 --rate-of rank --arrivals constant
