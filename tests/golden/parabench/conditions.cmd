# else belongs to the if before it.
conditions.pbl --root /x
