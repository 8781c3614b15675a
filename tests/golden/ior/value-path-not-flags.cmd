# IOR would set -w -r -k -F and more
-o/tmp/wrkF
