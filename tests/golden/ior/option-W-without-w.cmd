# what an earlier run wrote
-W
