#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Under -C each rank removes the file that it read, and nobody leaves a file or a directory of its own behind.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
tracer=$(command -v strace) || tracer=

# As if there were four nodes with one rank each, so that ranks shift.
shifted=(-F -C -O "numNodes=4,numTasksOnNode0=1" -t 4k -b 8k -w -r -R -o "$files/f")

for shape in "" "-u" "-m -i 3" "-u -m -i 3" "-K -u" "-Q 2 -u"; do
    rm -f "$result"
    # shellcheck disable=SC2086
    run 4 "${shifted[@]}" $shape --result "$result"
    expect_done
    expect_record "all(p.ops == 4 for p in phases if p.verb == 'remove') and reading.wrong == 0"
    expect_line '^nodes +: 4$'
    expect_line '^clients per node +: 1$'
    [[ -z $(ls -A "$files") ]] || fail "there is still: $(ls "$files")"
done

# Files of an earlier run are read by others than wrote them, and removed by those who read them.
run 4 "${shifted[@]}" -k -u
expect_done
expect_files 0/f.00000000 1/f.00000001 2/f.00000002 3/f.00000003
run 4 -F -u -C -O numNodes=4,numTasksOnNode0=1 -t 4k -b 8k -r -R -o "$files/f"
expect_done
expect_files ''
rm -rf "${files:?}"/*

[[ -n $tracer ]] || skip "who removes what needs strace (scripts/deps test); the rest is fine"
cat >"$work/traced" <<'END'
#!/bin/sh
# Builds that search for leaks cannot do it while they are traced.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
exec strace -f -e trace=unlink,unlinkat,rmdir -o "removed.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$WEIR" "$@"
END
chmod 755 "$work/traced"
capture mpiexec -n 4 "$work/traced" "${shifted[@]}" -u
expect_done
for rank in 0 1 2 3; do
    other=$(((rank + 1) % 4))
    # The first is what a write does with an earlier file.
    grep -q "unlink.*/$other/f.0000000$other\"" "removed.$rank" || fail "rank $rank does not remove file $other"
    grep -q "rmdir.*$files/$rank\"" "removed.$rank" || fail "rank $rank does not remove its directory"
done
