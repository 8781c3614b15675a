# tests may share them
-f side-files.ior
