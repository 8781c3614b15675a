# refused here: posix.beegfs.NumTargets
-O beegfsNumTargets=4
