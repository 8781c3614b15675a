# As they are made with the backend of all other calls, too.
patterns.pbl -g a:1 -g b:3 --anywhere
