# IOR crashes here
--posix.odirect=
