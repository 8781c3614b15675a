# environment: PATH=../../mocks/bin:$PATH
--lustre /scratch/x:fast --alone-only -i 1
