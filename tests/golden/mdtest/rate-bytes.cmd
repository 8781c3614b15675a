# of the phases with bytes
--rate 200m -w 4k -e 4k -n 8 -F
