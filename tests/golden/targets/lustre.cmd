# environment: PATH=../../mocks/bin:$PATH
--lustre /scratch/x
