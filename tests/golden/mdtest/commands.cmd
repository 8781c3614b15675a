# around phases on items alone
--run-cmd-before-phase "sync; date" --run-cmd-after-phase=/bin/true -n 8 -F
