#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lists of transfers (-X, -Y) are done as they are written: these bytes of the file and no others, one after the other, in these
# sizes, and none before its pause is over; with one transfer in flight and with several.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$files"

cat >"$work/writes" <<END
# offset, bytes, milliseconds
81920 4096
0 1000 100
40k 12288 200
8192 4096

END
printf '8192 4096 300\n81920 4096\n0 512\n' >"$work/reads"

iozone() { # iozone RANKS OPTION...
    local ranks=$1
    shift
    rm -f "$result"
    capture timeout 300 mpiexec -n "$ranks" "$WEIR" iozone "$@" --result "$result"
}

expect_bytes() { # expect_bytes FILE: what the list writes, and holes
    python3 - "$1" <<'END' || fail "$1 has other bytes"
import sys
data = open(sys.argv[1], "rb").read()
listed = [(0, 1000), (8192, 4096), (40960, 12288), (81920, 4096)]
assert len(data) == 81920 + 4096, len(data)
written = bytearray(len(data))
for offset, size in listed:
    assert any(data[offset:offset + size]) and any(data[offset + size - 16:offset + size]), offset
    written[offset:offset + size] = b"\1" * size
assert not any(byte and not was for byte, was in zip(data, written))
END
}

expect_log() { # expect_log FILE KIB:BYTES...
    local log=$1
    shift
    [[ $(awk 'NR > 1 { print $1 ":" $3 }' "$log" | tr '\n' ' ') == "$* " ]] || fail "$log is $(cat "$log")"
}

expect_amounts() { # expect_amounts RANKS: what the lists say, and not before all pauses are over
    expect_record "[p.bytes for p in phases if p.bytes > 0] == [21480 * $1, 8704 * $1] and all(p.total_s >= 0.3 and p.expected_bytes == p.bytes for p in phases if p.bytes > 0)"
}

iozone 2 -t 2 -x -X "$work/writes" -Y "$work/reads" -+n -w -Q
expect_done
for rank in 0 1; do
    expect_bytes iozone.DUMMY.$rank
    expect_log Child_${rank}_wol.dat 80:4096 0:1000 40:12288 8:4096
    expect_log Child_${rank}_rol.dat 8:4096 80:4096 0:512
done
expect_amounts 2
# Pauses are not in the rate, unless -+J is given.
expect_record "all(p.rank_rates.bytes_min / p.rank_rates.bytes_per_s_min <= p.total_s - 0.29 for p in phases if p.bytes > 0)"
rm -f ./*
iozone 2 -t 2 -x -X "$work/writes" -Y "$work/reads" -+n -+J
expect_done
expect_record "all(p.rank_rates.bytes_min / p.rank_rates.bytes_per_s_max >= 0.3 for p in phases if p.bytes > 0)"

# Several in flight.
if "$WEIR" backends | grep -q libaio; then
    iozone 1 -k 3 -X "$work/writes" -Y "$work/reads" -+n -w -Q
    expect_done
    expect_bytes iozone.tmp
    [[ $(awk 'NR > 1 { print $1 ":" $3 }' ./*wol.dat | sort | tr '\n' ' ') == "0:1000 40:12288 80:4096 8:4096 " ]] || fail "$(cat ./*wol.dat)"
    expect_amounts 1
fi
