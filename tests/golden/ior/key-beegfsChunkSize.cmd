# refused here: posix.beegfs.ChunkSize
-O beegfsChunkSize=64k
