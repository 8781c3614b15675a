# refused here: posix.beegfs.NumTargets
--posix.beegfs.NumTargets=4
