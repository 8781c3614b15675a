#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A random order over 1 TiB needs no more memory than one over 1 GiB, and the clock does not run while it is made.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

peak_kib() { # peak_kib BLOCK-SIZE
    python3 - "$WEIR" "$1" "$result" "$out" <<'END'
import resource, subprocess, sys
weir, block, result, out = sys.argv[1:]
with open(out, "w") as output:
    subprocess.run([weir, "-a", "null", "-w", "-z", "-t", "4k", "-b", block, "-D", "1", "--result", result],
                   check=True, stdout=output)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

command_line="weir -a null -w -z -t 4k -b 1g and 1t"
small=$(peak_kib 1g) || fail "no run over 1 GiB"
rm -f "$result"
large=$(peak_kib 1t) || fail "no run over 1 TiB"
((large < small + 8192)) || fail "$large KiB for 1 TiB, $small KiB for 1 GiB"
# It stopped at the deadline of 1 s, and had moved something by then.
expect_record "written.stonewall and written.ops > 1000 and written.total_s < 10"

# A record of a phase that is over keeps what reports print of it (2.2 KB), and not the tables that it was measured with (13 KB).
peak_kib_of_repetitions() { # peak_kib_of_repetitions COUNT
    python3 - "$WEIR" "$1" "$out" <<'END'
import resource, subprocess, sys
weir, count, out = sys.argv[1:]
with open(out, "w") as output:
    subprocess.run([weir, "-a", "null", "-w", "-r", "-t", "4k", "-b", "4k", "-i", count], check=True, stdout=output)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

command_line="weir -a null -w -r -i 100 and -i 1100"
few=$(peak_kib_of_repetitions 100) || fail "no run of 200 phases"
many=$(peak_kib_of_repetitions 1100) || fail "no run of 2200 phases"
((many - few < 5 * 1000)) || fail "$few KiB for 200 phases, $many KiB for 2200"

# After the first thousand, repetitions that are like those before are only added up, and the summary counts them.
command_line="weir -a null -w -r -i 15000"
more=$(peak_kib_of_repetitions 15000) || fail "no run of 30000 phases"
((more - many < 4096)) || fail "$many KiB for 2200 phases, $more KiB for 30000"
python3 - "$out" <<'END' || fail "the summary is not that of the rows"
import statistics, sys
lines = [line.split() for line in open(sys.argv[1])]
for verb in "write", "read":
    rows = [float(words[1]) for words in lines if len(words) == 11 and words[0] == verb]
    summary = next(words for words in lines if len(words) > 20 and words[0] == verb)
    expected = max(rows), min(rows), statistics.fmean(rows), statistics.pstdev(rows)
    assert len(rows) == int(summary[15]) == 15000, (len(rows), summary)
    for told, wanted in zip(map(float, summary[1:5]), expected):
        assert abs(told - wanted) <= 0.01 * max(wanted, 1), (summary, expected)
END
