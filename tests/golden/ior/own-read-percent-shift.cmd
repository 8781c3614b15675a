# the mixed phase stays on the own part
--read-percent 70 -w -r -C
