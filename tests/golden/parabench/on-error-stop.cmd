# One failed call ends the program.
calls.pbl --on-error stop --anywhere
