# a word that fits the test before and not this one is taken back with nic=auto
-f place-inherits-nic.ior
