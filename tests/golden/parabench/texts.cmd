# Variables in texts end where letters and digits do; \$ is a dollar sign.
texts.pbl --root /x
