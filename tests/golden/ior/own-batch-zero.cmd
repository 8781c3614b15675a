# as the backend has it
-a AIO --batch 0
