# files without bytes are not read back
--verify-write -n 8
