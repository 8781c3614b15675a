# IO500 gives 32 bits with a sign
-G -1234567890 -w 4k -n 8 -F -C
