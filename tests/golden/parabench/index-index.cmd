# One of the four patterns.
../../../docs/examples/index-index.pbl base=/scratch/olap
