# without a unit kilobytes; t and decimals
-s 1t -r 1.5m -i 0
