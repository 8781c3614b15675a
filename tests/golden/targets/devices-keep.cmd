# options with nothing to do are remarks
--devices /x/sdb --keep --size 1g
