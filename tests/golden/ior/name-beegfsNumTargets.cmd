# refused here: posix.beegfs.NumTargets
--beegfsNumTargets=4
