# What every dialect has.
--result /x/r.jsonl --resume --data none --plain --overwrite --must-fit --direct --strict --measure cache --allow short,spread --pin core --pin-order scatter --membind local --huge-pages --drop-caches files --progress off --stop-before 60s --on-error continue --watchdog 2m --give-up 10m if=/x/f%r of=/dev/null bs=4K count=8
