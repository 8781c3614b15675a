# no words at all: IOR's own defaults

