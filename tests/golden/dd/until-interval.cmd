# There are no repetitions that could end earlier: refused.
--until-interval 3% --max-repetitions 20 --repeat-time 5m if=/x/f of=/dev/null count=1
