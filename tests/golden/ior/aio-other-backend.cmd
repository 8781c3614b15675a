# a remark in the report; the plan is that of POSIX
--aio.max-pending=64 --aio.granularity=4
