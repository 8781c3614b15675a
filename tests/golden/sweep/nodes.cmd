nodes=1,2 ranks-per-node=1..4+3 total=24m --limit read=140GB/s,write=2GiB/s -- ior -w -t 1m -o /scratch/f
