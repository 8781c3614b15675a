# a remark in the report
-a AIO --uring.sqpoll
