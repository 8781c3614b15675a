# Keywords and calls are known in any case.
keywords.pbl -g g:1 --anywhere
