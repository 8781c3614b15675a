# given twice is given
-F -F
