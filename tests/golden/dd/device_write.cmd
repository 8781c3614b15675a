if=/dev/zero of=/dev/sdx bs=1M count=4 --device force
