# The test repeats until the median of each phase is known to 3 %, at least 5 times and at most 20.
--until-interval 3% --max-repetitions 20 --repeat-time 5m -i 3
