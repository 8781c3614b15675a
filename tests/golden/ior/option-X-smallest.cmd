# one more than the smallest has no magnitude
-Z -X -9223372036854775807
