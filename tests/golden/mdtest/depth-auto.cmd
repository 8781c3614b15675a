# creation, stat and read search, and removal goes with creation
-a uring --depth auto:64 -n 8 -F
