# set to what it was: nothing to remark
--mpiio.showHints=0
