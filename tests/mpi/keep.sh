#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Exactly the right files stay: all with -k, none without, one of each repetition with -m.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

small=(-t 64k -b 128k -w -r)

run 2 "${small[@]}" -i 3 -m -k -o "$files/f"
expect_done
expect_files f.0 f.1 f.2
rm -f "$files"/*

run 2 "${small[@]}" -i 2 -m -k -F -o "$files/f"
expect_done
expect_files f.00000000.0 f.00000000.1 f.00000001.0 f.00000001.1
rm -f "$files"/*

run 2 "${small[@]}" -i 3 -m -o "$files/f"
expect_done
expect_files ''

run 2 "${small[@]}" -i 3 -k -F -o "$files/f"
expect_done
expect_files f.00000000 f.00000001

# What an earlier run kept is Weir's own: it may be written again, and goes when it is not to be kept.
run 2 "${small[@]}" -F -o "$files/f"
expect_done
expect_files ''

run 2 "${small[@]}" -F -u -k -o "$files/f"
expect_done
expect_files 0/f.00000000 1/f.00000001
rm -rf "${files:?}"/*

run 4 "${small[@]}" -F -N 2 -k -o "$files/f"
expect_done
expect_files f.00000000 f.00000001
rm -f "$files"/*

mkdir "$files/a" "$files/b"
run 4 "${small[@]}" -F -k -o "$files/a/f@$files/b/f"
expect_done
expect_files a/f.00000000 a/f.00000002 b/f.00000001 b/f.00000003

# What is to be checked and was never written is missing in words that say so.
for words in '-W' '-R' '-W -R -K' '-W -F'; do
    # shellcheck disable=SC2086
    run 2 $words -k -t 64k -b 64k -o "$files/absent"
    expect_exit 1
    expect_error 'absent.*: No such file or directory: a check reads what this run has written, with -w, or an earlier one with -k'
done
