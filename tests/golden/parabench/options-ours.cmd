# What we add.
calls.pbl --backend posix --on-error 3 --time-limit 1.5h --root /x --seed 7 --verify --think 0.01 --events 0 --rate 100 --rate-of rank --arrivals constant
