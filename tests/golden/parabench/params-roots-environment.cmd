# $$env is known.
# environment: HOME=/home/me
params.pbl file="\$\$env(HOME)/x"
