# the options of all backends are known whatever -a says
--mpiio.showHints
