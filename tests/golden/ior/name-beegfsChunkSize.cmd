# refused here: posix.beegfs.ChunkSize
--beegfsChunkSize=64k
