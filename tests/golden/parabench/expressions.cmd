# Constants are folded; others are told with all parentheses.
expressions.pbl --root /x
