# what is always so is no surprise
-a direct --posix.odirect
