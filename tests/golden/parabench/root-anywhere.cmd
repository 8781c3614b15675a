# options with nothing to do are remarks
suffixes.pbl --root /x --anywhere
