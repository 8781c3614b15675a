# what the original cannot do
-N 2 -u -z 2 -b 2 -n 14
