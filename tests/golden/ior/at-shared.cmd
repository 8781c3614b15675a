# One file: @ is a character like any other.
-w -o /home/u@d/f@@g
