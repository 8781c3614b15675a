#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # programs have variables of their own
# Programs on two virtual hosts: groups, barriers and files that ranks of both make and read.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=hosts_lib.sh
. "$(dirname "$0")/hosts_lib.sh"

enter_hosts 2 parabench_hosts.sh "$@"
# shellcheck source=parabench_lib.sh
. "$(dirname "$0")/parabench_lib.sh"
watch_places

on_hosts() { # on_hosts PLACEMENT MAPPING FILE [WORD...]
    local placement=$1 mapping=$2
    shift 2
    rm -f "$result"
    forget_places
    capture timeout 60 mpiexec -n "${#placement}" --host n1:2,n2:2 --map-by "$mapping" "${passed_on[@]}" --wdir "$files" \
        "$work/placed" parabench "$@" --result "$result"
    expect_places "$placement"
}

# The rank and its host, as the language tells them.
printf '%s\n' 'print $$rank, $$size, "$$host", $$node;' >"$work/where.pbl"
on_hosts 0101 node "$work/where.pbl"
expect_done
for rank in 0 1 2 3; do
    expect_prints $rank "$rank 4 n$((rank % 2 + 1)) $((rank % 2))"
done

on_hosts 0011 slot "$examples/create-index.pbl" iter=3
expect_done
expect_commands 'Write 48 0' 'Delete 12 0' 'Mkdir 41 0' 'Rename 36 0'
on_hosts 0101 node "$examples/index-index.pbl" iter=3 files=2
expect_done
expect_commands 'Write 48 0' 'Read 48 0'
on_hosts 0011 slot "$examples/delete-index.pbl" iter=3 files=2
expect_done
[[ ! -e olap ]] || fail "something is left"
on_hosts 0101 node "$samples/mpiio.pbl" --verify
expect_done
(($(stat -c %s mpiio) == 4 * 10 * 65536)) || fail "the file has another size"
rm mpiio

# A group on each host, at the same time; the second one begins when the first has ended.
cat >"$work/groups.pbl" <<'END'
define groups { "first":S 1, "second":S 2 };
group "first" { time["first"] { sleep(100000); barrier; } print "first", $$grank, $$gsize, "$$host"; }
barrier;
group "second" { time["second"] { lookup("."); barrier; } print "second", $$grank, $$gsize, "$$host"; }
END
on_hosts 0011 slot "$work/groups.pbl" -g first:2 -g second:2
expect_done
expect_prints 0 'first 0 2 n1'
expect_prints 1 'first 1 2 n1'
expect_prints 2 'second 0 2 n2'
expect_prints 3 'second 1 2 n2'
expect_record "(lambda a, b: a.ranks == b.ranks == 2 and a.last_end_s <= b.first_begin_s and a.rank_s_min >= 0.1)(*phases[0].program_result.labels)"

# The slowest rank is named with its host.
printf '%s\n' 'time["t"] if ($$rank == 3) sleep(200000);' >"$work/slow.pbl"
on_hosts 0101 node "$work/slow.pbl"
expect_done
expect_record "(lambda s: s.rank == 3 and s.host == 'n2')(phases[0].program_result.labels[0].slowest[0])"

# A rank that fails ends the others, on both hosts.
printf '%s\n' 'if ($$rank == 3) delete("nowhere"); barrier; print "behind";' >"$work/fails.pbl"
on_hosts 0101 node "$work/fails.pbl" --on-error stop
expect_exit 1
expect_error '^weir: rank 3 on host n2: .*fails.pbl:1: delete nowhere: No such file'
expect_no_line behind
