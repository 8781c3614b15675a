# the standard of granularity, 16, gives way
-a AIO --aio.max-pending=8
