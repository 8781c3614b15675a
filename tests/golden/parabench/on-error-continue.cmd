# The default.
calls.pbl --on-error continue --anywhere
