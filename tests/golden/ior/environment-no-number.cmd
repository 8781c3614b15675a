# environment: IOR_FAKE_NODES=many
-r
