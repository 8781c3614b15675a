# takes no value; a remark
-B -n 8 -F
