# One of the four patterns.
../../../docs/examples/create-index.pbl base=/scratch/olap
