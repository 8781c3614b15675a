# of those that have letters
--api POSIX --branch-factor 2 --create-only --dirpath /x --files-only --items 7 --tree-depth 2 --iterations 3 --write-bytes 4k --sync-file --call-sync --verbose --print-rate-and-time --pre-delay 1 --nstride 1 --unique-dir-per-task
