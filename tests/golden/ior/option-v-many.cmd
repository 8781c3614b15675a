# more than 5 says no more
-vvvvvvvvv
