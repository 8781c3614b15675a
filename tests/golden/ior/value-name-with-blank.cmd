# on the command line itself any name will do
-o "a b,c#d"
