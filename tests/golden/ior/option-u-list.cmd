# IOR refuses this
-F -u -o /a/f@/b/f
