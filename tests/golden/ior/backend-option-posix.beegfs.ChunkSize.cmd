# refused here: posix.beegfs.ChunkSize
--posix.beegfs.ChunkSize=64k
