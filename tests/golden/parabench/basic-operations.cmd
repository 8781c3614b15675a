# One of the four patterns.
../../../docs/examples/basic-operations.pbl base=/scratch/olap
