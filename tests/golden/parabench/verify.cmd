# What is read is compared: of a program that does not append.
params.pbl --verify
