#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The kernel makes /proc/stat whole for each reading, so one rank of a node reads it for all: before a phase, and behind it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || skip "who reads what needs strace: scripts/deps test"

cat >"$work/traced" <<'END'
#!/bin/sh
# Builds that search for leaks cannot do it while they are traced.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
exec strace -f -e trace=pread64 -P /proc/stat -o "read.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$WEIR" "$@"
END
chmod 755 "$work/traced"
capture mpiexec -n 3 "$work/traced" -a null -w -t 64k -b 64k -o "$files/f" --result "$result"
expect_done
[[ $(grep -c pread64 read.0) == 2 ]] || fail "rank 0 reads /proc/stat $(grep -c pread64 read.0) times"
for rank in 1 2; do
    ! grep -q pread64 "read.$rank" || fail "rank $rank reads /proc/stat as well"
done
expect_record "0 <= written.placement.nodes.steal_share[0] <= 1"

# Looks are at least 10 ms apart, with two for a phase that begins later than that: many short phases do not pay for them.
begun=${EPOCHREALTIME/./}
capture mpiexec -n 2 "$work/traced" -a null -w -t 4k -b 4k -i 400 -o "$files/f"
expect_done
reads=$(grep -c pread64 read.0)
most=$((4 + 2 * (${EPOCHREALTIME/./} - begun) / 10000))
((reads <= most)) || fail "/proc/stat is read $reads times for 400 phases, more than $most times"
((reads < 800)) || fail "/proc/stat is read twice for each phase"
