# Every call by name.
calls.pbl --anywhere
