if=/dev/sdx of=/dev/null bs=1M count=1024 -a direct
