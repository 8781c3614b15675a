# IOR asks for -G here; stamps say themselves what they were written with
-R
