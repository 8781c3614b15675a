# Tags, and numbers behind them. Blocks that no rank comes to are remarked, as are groups without ranks or without a block.
groups.pbl -g a -g b:2 --group c:1 --group=d:2 -ge:4 -g=f:1 -g g:2 --root /x
