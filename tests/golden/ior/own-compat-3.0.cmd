# a whole release will do
--compat=3.0.1
