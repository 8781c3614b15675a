#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each test of iozone syncs its file before it begins and after its last transfer, outside of its time, and with -e once more
# inside. The n-th sync of a child is made to fail: the run ends with 1 as long as there is such a sync.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$files"

expect_syncs() { # expect_syncs RANKS COUNT OPTION...: as many syncs of each child
    local ranks=$1 count=$2 number
    shift 2
    for number in $((count - 1)) "$count"; do
        capture mpiexec -n "$ranks" "$WEIR_TEST" iozone -s 256k -r 64k --backend fault:posix --fault.verb sync --fault.errno EIO \
            --fault.at "$number" "$@"
        rm -f iozone.*
        if ((number < count)); then
            expect_exit 1
            expect_error 'sync iozone'
            expect_no_line 'iozone test complete'
        else
            expect_done
            expect_line 'iozone test complete'
        fi
    done
}

expect_syncs 1 4 -i 0 -i 1 -+n
expect_syncs 1 8 -i 0 -i 1
expect_syncs 1 6 -i 0 -i 1 -+n -e
expect_syncs 1 2 -i 0 -i 1 -+n -c
expect_syncs 1 4 -i 0 -i 1 -+n -c -e
expect_syncs 1 4 -a -n 256k -g 256k -y 64k -q 64k -i 0 -i 1 -+n
# What -w keeps is synced after the last test in any case.
expect_syncs 1 2 -i 0 -+n -c -w
expect_syncs 1 2 -i 0 -+n -w
# A new file of a child has nothing to sync before: 14 syncs of two children.
expect_syncs 2 7 -i 0 -i 1 -t 2 -x
expect_syncs 2 3 -i 0 -i 1 -+n -t 2 -x

# The files of -Q and -+z of a child are in the directory that its line names.
mkdir first second
printf '%s %s program\n' "$(hostname)" "$files/first" "$(hostname)" "$files/second" >"$work/list"
capture mpiexec -n 2 "$WEIR" iozone -+m "$work/list" -s 64k -r 16k -i 0 -+n -Q -+z --plain
expect_done
found=$(find . -type f -printf '%P\n' | sort | tr '\n' ' ')
[[ $found == "first/Child_0_wol.dat first/Iozone_histogram_child_0.txt second/Child_1_wol.dat second/Iozone_histogram_child_1.txt " ]] ||
    fail "-+m leaves $found"
rm -r first second

# What -w keeps has the mode of IOzone's files, through a mapping and stdio as well.
for words in "-i 0" "-i 0 -B" "-i 6"; do
    # shellcheck disable=SC2086
    (umask 0 && "$WEIR" iozone $words -+n -w -s 64k -f kept --plain) >"$out" 2>"$err" || fail "iozone $words fails: $(cat "$err")"
    [[ $(stat -c %a kept) == 640 ]] || fail "$words makes a file of mode $(stat -c %a kept)"
    rm kept
done

# Syncs of half a second each: the counted time has them with -e alone, for reads too.
slow() { # slow OPTION...
    rm -f "$result"
    capture "$WEIR_TEST" iozone -i 0 -i 1 -+n -s 256k -r 64k --backend fault:posix --fault.verb sync --fault.every 1 \
        --fault.delay 500000 --result "$result" "$@"
    expect_done
}
counted='p.bytes / p.rank_rates.bytes_per_s_sum'
slow
expect_record "len([p for p in phases if p.bytes > 0]) == 2 and all(p.windows.open_s >= 0.5 and p.windows.close_s >= 0.5 and $counted <= p.total_s - 1.0
    for p in phases if p.bytes > 0)"
slow -e
expect_record "all($counted >= 0.5 and $counted <= p.total_s - 1.0 for p in phases if p.bytes > 0)"
slow -c -e
expect_record "all($counted >= 0.5 and $counted <= p.total_s - 0.5 for p in phases if p.bytes > 0)"
