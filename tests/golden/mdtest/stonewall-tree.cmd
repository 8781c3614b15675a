# what the original refuses
-W 5 -z 2 -b 3 -n 26 -F -C
