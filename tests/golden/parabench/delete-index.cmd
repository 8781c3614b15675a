# One of the four patterns.
../../../docs/examples/delete-index.pbl base=/scratch/olap
