# Counted, or bounded by time; ranks that meet in the body make the first rank decide. 2m is no time but 2 times 1024^2.
loops.pbl --anywhere
