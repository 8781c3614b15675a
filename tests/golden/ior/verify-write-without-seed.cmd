# IOR does not ask for -G here, and finds everything wrong
-W
