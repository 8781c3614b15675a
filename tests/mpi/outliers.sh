#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# -j names the ranks that are far from the mean, and what of them is; a rank that is slow on purpose is found.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
WEIR=$WEIR_TEST
slow=(-a fault:posix --fault.rank 2 --fault.every 1 --fault.delay 100000 -t 4k -b 64k -o "$files/f" --result "$result")

# 16 transfers of 0.1 s more than those of the other three: 1.6 s, which is 1.2 s from the mean.
run 4 "${slow[@]}" -w -F -j 1
expect_done
expect_record "written.outlier_count == 2"
expect_record "[(o.rank, o.kind) for o in written.outliers] == [(2, 'transfer'), (2, 'end')]"
expect_record "all(1.5 < o.value_s < 3 and 0.3 < o.mean_s < 0.8 and 0.6 < o.stddev_s < 1.2 for o in written.outliers)"
expect_line 'task 2, write'

rm -f "$result"
run 4 "${slow[@]}" -w -F -j 3
expect_done
expect_record "written.outlier_count == 0"

rm -f "$result"
run 4 "${slow[@]}" -w -F
expect_done
expect_record "written.outlier_count == 0"

# To remove a file for all is rank 0's work alone: it is no outlier for that, however small the threshold.
rm -f "$result"
run 4 -a posix -w -t 4k -b 64k -o "$files/f" -j 0.000001 --result "$result"
expect_done
expect_record "written.outlier_count > 0"
expect_record "[p.outlier_count for p in phases if p.verb == 'remove'] == [0]"
