#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# headers.sh COMPILER INCLUDE-DIR GENERATED-DIR: each public header must compile alone.
set -u
compiler=$1 include=$2 generated=$3
failed=0
for header in $(find "$include/weir" -name '*.h' | sort); do
    "$compiler" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wundef -Werror -fsyntax-only \
        -I "$include" -I "$generated" -include "$header" -x c /dev/null ||
        { echo "${header#"$include"/} does not compile alone"; failed=1; }
done
exit $failed
