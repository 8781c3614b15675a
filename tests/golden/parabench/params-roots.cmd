# Values that name directories are where files may be; as far as no variable is in them.
# environment: HOME=/home/me
params.pbl file="/scratch/x/../y//./d\$n/\$\$rank"
