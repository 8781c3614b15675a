# What every dialect has and a program, too.
--result /x/r.jsonl --resume --plain --overwrite --strict --measure cache --allow short,spread --depth 1 --rate 20/s --pin core --pin-order scatter --membind local --huge-pages --drop-caches none --progress off --stop-before 60s --watchdog 2m --give-up 10m --summaryFile /x/report --summaryFormat JSON suffixes.pbl --root /x
