# the plan of own-pin
--pin core --pin-order compact -w
