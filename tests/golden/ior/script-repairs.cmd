# remarks say which test
-f repairs.ior
