# --explain twice is once.
--explain suffixes.pbl --root /x
