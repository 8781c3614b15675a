# Empty blocks and statements, parentheses that may be left out, and the ; behind define param that the original has not.
separators.pbl -g g:2 --root /x
