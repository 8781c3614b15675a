# The environment goes before the default, by the name or by the variable.
# environment: PARABENCH_length=4 PARABENCH_name=b
params.pbl --root /x
