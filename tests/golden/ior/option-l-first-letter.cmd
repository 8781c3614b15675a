# the first letter is what IOR looks at
-l rnd
