# Every call by name.
calls.pbl --root /x
