#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two virtual hosts with two ranks each: nodes are counted, and -C reads on one what the other wrote.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
hosts=$WEIR_ROOT/scripts/testbed/testbed-hosts

"$hosts" run -- true >"$out" 2>&1 || skip "virtual hosts cannot be made here, which takes root, namespaces and a root that is a mount point, not a chroot: $(tail -n 1 "$out")"
export OMPI_MCA_orte_tmpdir_base=/tmp
passed_on=(-x WEIR -x WEIR_DETAILS)
for name in ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS; do
    [[ ! ${!name-} ]] || passed_on+=(-x "$name")
done

run_on_hosts() { # run_on_hosts PROGRAM OPTION...
    rm -f "$result"
    capture "$hosts" run -- mpiexec -n 4 --host n1:2,n2:2 "${passed_on[@]}" --wdir "$work" "$@" \
        --result "$result"
}

expect_two_nodes() {
    expect_done
    expect_line '^nodes +: 2$'
    expect_line '^tasks +: 4$'
    expect_line '^clients per node +: 2$'
    expect_record "written.bytes == reading.bytes == 4 * 1048576 and reading.wrong == 0"
}

# Every number of seconds must be that of a short run, whatever the clocks say.
expect_sane_times() {
    expect_record "all(0 <= p.seconds < 60 and 0 <= p.total_s < 60 for p in phases)"
    expect_record "written.clock.cross_node and written.clock.error_s < 0.1"
    expect_no_line '(nan|inf)'
}

run_on_hosts "$WEIR" -t 64k -b 1m -w -r -R -C -o "$files/f"
expect_two_nodes
expect_line '^ordering inter file +: constant task offset'
expect_sane_times

run_on_hosts "$WEIR" -t 64k -b 1m -w -r -R -F -Z -Z -o "$files/f"
expect_two_nodes
expect_line '^ordering inter file +: random task offset'
expect_sane_times

# The clock of one host is an hour ahead of the other's.
unshare --time --fork --monotonic 3600 true 2>/dev/null || skip "the clock cannot be shifted here, which takes root and a kernel with CONFIG_TIME_NS; the rest is fine"
cat >"$work/ahead" <<'END'
#!/bin/sh
[ "$(hostname)" = n2 ] || exec "$WEIR" "$@"
exec unshare --time --fork --monotonic 3600 "$WEIR" "$@"
END
chmod 755 "$work/ahead"
run_on_hosts "$work/ahead" -t 64k -b 1m -w -r -R -C -o "$files/f"
expect_two_nodes
expect_sane_times
expect_record "written.clock.offset_s > 3000"
