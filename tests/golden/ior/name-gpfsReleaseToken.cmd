# refused here: posix.gpfs.releasetoken
--gpfsReleaseToken
