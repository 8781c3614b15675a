ranks=1..4x2 total=100 -- mdtest -F -d /scratch/names
