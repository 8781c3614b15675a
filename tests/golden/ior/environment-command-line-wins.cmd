# environment: IOR_FAKE_NODES=3
-O numNodes=5
