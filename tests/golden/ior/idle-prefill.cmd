# options with nothing to do are remarks
--randomPrefill=1m --rate-of rank -w --keep-open
