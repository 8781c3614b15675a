# the plan of own-stop-before
--stop-before 60 -w
