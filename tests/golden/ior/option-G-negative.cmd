# IO500 gives signed 32-bit hashes
-G -1234567
