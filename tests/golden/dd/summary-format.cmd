if=/dev/zero of=/mnt/f%r bs=1M count=4 --summaryFile report.json --summaryFormat JSON
