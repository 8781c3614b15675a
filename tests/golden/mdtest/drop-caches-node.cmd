# everything but what makes
--drop-caches node -n 8 -w 4k -e 4k --also list
