# environment: IOR_FAKE_TASK_PER_NODES=0
-n 4
