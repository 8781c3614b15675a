# a remark
-a AIO --aio.max-pending=64 --aio.granularity=8 -n 8 -F -C
