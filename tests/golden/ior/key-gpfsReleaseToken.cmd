# refused here: posix.gpfs.releasetoken
-O gpfsReleaseToken=1
