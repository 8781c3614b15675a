#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# -y: each rank's file is in the directory of its processor package, which must be there.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
packages=$(cat /sys/devices/system/cpu/cpu*/topology/physical_package_id 2>/dev/null | sort -u)
[[ $packages == 0 ]] || skip "this takes a host whose processors are all of package 0: there are '$packages'"
dual=(-F -y -t 4k -b 8k -w -r -R -o "$files/mnt")

run 2 "${dual[@]}"
expect_exit 2
expect_error "$files/mnt0"
expect_files ''

mkdir "$files/mnt0" "$files/mnt1"
run 2 "${dual[@]}" -k
expect_done
expect_files mnt0/data.00000000 mnt0/data.00000001

# Found again by who reads them later, shifted or not; and removed.
run 2 -F -y -C -O numNodes=2,numTasksOnNode0=1 -t 4k -b 8k -r -R -o "$files/mnt" --result "$result"
expect_done
expect_record "reading.checked == 4 and reading.wrong == 0"
expect_files ''

run 2 "${dual[@]}" -m -i 2 -k
expect_done
expect_files mnt0/data.00000000.0 mnt0/data.00000000.1 mnt0/data.00000001.0 mnt0/data.00000001.1
[[ -d $files/mnt1 ]] || fail "the directory of the other package is gone"
