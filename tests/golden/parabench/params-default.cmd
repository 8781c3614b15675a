# The defaults of the file.
params.pbl --root /x
