# IOR's limits hold where the words are used
--aio.max-pending=4 --aio.granularity=200
