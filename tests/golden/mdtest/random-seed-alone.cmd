# a remark
--random-seed 42 -n 8 -F
