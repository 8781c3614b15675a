# An @ before the first name and after the last one says nothing.
-F -w -o @/a/f@/b/f@
