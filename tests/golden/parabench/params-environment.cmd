# The environment goes before the default, by the name or by the variable.
# environment: PARABENCH_length=4 PARABENCH_name=b PARABENCH_N=5 PARABENCH_typo=
params.pbl --root /x
