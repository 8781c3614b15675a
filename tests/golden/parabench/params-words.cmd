# The command line goes before the environment, before or behind the program.
# environment: PARABENCH_length=4 PARABENCH_name=b
length=4k params.pbl name=c --root /x
