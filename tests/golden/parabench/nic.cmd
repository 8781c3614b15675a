# The rest of what every dialect has.
--pin nic --nic eth0 suffixes.pbl --root /x
