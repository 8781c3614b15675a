#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Before phases on trees --drop-caches node has the node forget names and attributes: on an ext4 of its own, what is asked for
# then comes from the device, as its counters say, and else from memory. files drops the data of files alone.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if [[ ${1-} != inside ]]; then
    need_root
    [[ -w /proc/sys/vm/drop_caches ]] || skip "the caches of this host cannot be dropped, which takes root and a writable /proc/sys/vm/drop_caches"
    "$WEIR_ROOT/scripts/testbed/testbed-loopfs" run -- true >"$out" 2>&1 || skip "no ext4 can be mounted here, which takes root and a loop device: $(tail -n 1 "$out")"
    status=0
    # shellcheck disable=SC2016
    for type in ext4 xfs; do
        command -v "mkfs.$type" >/dev/null || continue
        # Else a thread of the kernel fills tables of inodes in the background, and moves bytes of the device.
        options=()
        [[ $type != ext4 ]] || options=(--mkfs-options "-E lazy_itable_init=0,lazy_journal_init=0")
        "$WEIR_ROOT/scripts/testbed/testbed-loopfs" --type "$type" "${options[@]}" run -- bash -c 'TMPDIR=$TESTBED_MNT exec bash "$0" inside' "$0" || status=$?
        ((status == 0)) || break
    done
    exit "$status"
fi

reset_queue "$(df --output=source "$work" | tail -n 1)" || true
counters=/sys/class/block/$(basename "$(df --output=source "$work" | tail -n 1)")/stat
count="cat $counters >>$work/counts"

# Caches are dropped behind the command of a phase. One behind it would be rank 0's, when that has done its part.
try() { # try OPTION...: mdtest
    rm -f "$result" "$work/counts"
    run 2 mdtest --run-cmd-on first --run-cmd-before-phase "$count" --result "$result" "$@"
    eval "$count"
    expect_done
}

# Of the phases with that verb on items: were caches dropped, is it said to come from memory, and how much came from the device?
expect_phases() { # expect_phases VERB DROPPED CACHED EXPRESSION-OF-KIB
    expect_record "(lambda sectors, found: len(found) > 0 and all(
        getattr(p, 'caches_dropped', False) == $2 and ('names-cached' in [f.name for f in p.findings]) == $3 and
        (lambda read: $4)((sectors[i + 1] - sectors[i]) / 2) for i, p in found)
        )([int(line.split()[2]) for line in open('$work/counts')],
          [(i, p) for i, p in enumerate(p for p in phases if hasattr(p.names, 'item')) if p.verb == '$1'])"
}

# Names that this run has not made, each kind of phase for itself: from a cache, and from the device. Others may drop the caches
# of the node, or read from its device, meanwhile: it is as expected in one of five runs.
expect_names() { # expect_names BOOLEAN VERB 'PREPARATION' OPTION...: is it said that a cache answered, of phases on items?
    local wanted=$1 verb=$2 preparation=$3 attempt rule
    shift 3
    rule="(lambda found: len(found) > 0 and all(
        ('names-cached' in [f.name for f in p.findings if f.effect == 'void']) == $wanted for p in found))(
        [p for p in phases if hasattr(p.names, 'item') and p.verb == '$verb'])"
    for attempt in 1 2 3 4 5; do
        $preparation
        rm -f "$result"
        run 2 "$@" --result "$result"
        expect_done
        ! "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" "$rule" >/dev/null || return 0
        echo "attempt $attempt: others have dropped caches, or read from the device"
    done
    expect_record "$rule"
}

words=(mdtest -n 1000 -F -d "$files/kept")
make_names() { run 2 "${words[@]}" -C; }
make_names
for verbs in "-T stat" "-E read-file"; do
    expect_names False "${verbs#* }" : "${words[@]}" "${verbs% *}" --drop-caches node
    expect_names True "${verbs#* }" : "${words[@]}" "${verbs% *}"
done
expect_names False unlink make_names "${words[@]}" -r --drop-caches node
expect_names True unlink make_names "${words[@]}" -r
words=(md-workbench -D 2 -P 500 -I 500 -R 1 -o "$files/sets" --run-info-file="$work/position")
make_names() { run 2 "${words[@]}" -1; }
make_names
expect_names False cycle : "${words[@]}" -2 --drop-caches node
expect_names True cycle : "${words[@]}" -2
run 2 "${words[@]}" -3 # the sets have moved on: others would be made next to what is left of them
expect_done
expect_names True unlink make_names "${words[@]}" -3
cat >"$work/stat.pbl" <<'END'
master { mkdir("names"); repeat $i 2000 create("names/$i"); }
END
cat >"$work/again.pbl" <<'END'
time["stat"] repeat $i 2000 stat("names/$i");
END
cd "$files"
run 1 parabench "$work/stat.pbl"
expect_done
for wanted in False True; do
    for attempt in 1 2 3 4 5; do
        sync
        [[ $wanted == True ]] || echo 3 >/proc/sys/vm/drop_caches
        rm -f "$result"
        run 1 parabench "$work/again.pbl" --result "$result"
        expect_done
        said=$(grep -c '"names-cached"' "$result" || true)
        [[ $wanted == True && $said -eq 0 || $wanted == False && $said -gt 0 ]] || break
    done
    expect_record "any(f.name == 'names-cached' for p in phases for f in p.findings) == $wanted"
done
cd "$work"
[[ $(df --output=fstype "$work" | tail -n 1) == ext4 ]] || exit 0

# Inodes of ext4 have 256 bytes: of 2000 files 500 KiB, and of their data 8000 KiB.
words=(-F -n 1000 -w 4k -e 4k -d "$files/tree")
try "${words[@]}"
expect_phases stat False True 'read < 100'
expect_phases read-file False True 'read < 100'
expect_phases unlink False False 'read < 100'
try "${words[@]}" --drop-caches node
expect_phases create False False 'read < 400'
expect_phases stat True False 'read > 500'
expect_phases read-file True False 'read > 8500'
expect_phases unlink True False 'read > 500'
try "${words[@]}" --drop-caches files
expect_phases stat False True 'read < 100'
expect_phases read-file True True '7999 < read < 8400'

# What trials of depths have read comes from the device once more when the phase reads it.
try -F -n 1000 -w 4k -d "$files/tried" -C
try -F -n 1000 -e 4k -d "$files/tried" -E -a uring --depth auto:2 --drop-caches files
expect_phases read-file True True 'read > 15000'
try -F -n 1000 -d "$files/tried" -r

# Each kind of phase for itself, on what another run has made; several roots, of which each is written back.
words=(-n 1000 -u -d "$files/a@$files/b")
try "${words[@]}" -C
try "${words[@]}" -T --drop-caches node
expect_phases stat True False 'read > 500'
try "${words[@]}" -U --drop-caches node
expect_phases rename True False 'read > 500'
try "${words[@]}" -E --drop-caches node
expect_phases read-file True False 'read > 250'
try "${words[@]}" -r --drop-caches node
expect_phases unlink True False 'read > 250'
expect_phases rmdir True False 'read > 500'

read_kib() { echo $(($(awk '{print $3}' "$counters") / 2)); }
words=(md-workbench -D 2 -P 500 -I 500 -R 1 -o "$files/sets" --run-info-file="$work/position")
run 2 "${words[@]}" -1
run 2 "${words[@]}" -2 --drop-caches node --result "$result"
expect_record 'phases[0].caches_dropped'
before=$(read_kib)
run 2 "${words[@]}" -2
(($(read_kib) - before < 1000)) || fail "objects that were just made came from the device"
before=$(read_kib)
run 2 "${words[@]}" -2 --drop-caches node
(($(read_kib) - before > 8000)) || fail "objects came from memory: $(($(read_kib) - before)) KiB from the device"

# Who may not do it is told before anything is touched.
command -v setpriv >/dev/null || skip "there is no setpriv here (scripts/deps test); everything else was tried"
mkdir -m 777 "$files/open"
chmod 755 "$work" "$files"
capture setpriv --reuid 65534 --regid 65534 --clear-groups env -u OMPI_MCA_orte_tmpdir_base "$WEIR" mdtest -n 2 -d "$files/open/tree" --drop-caches node
expect_exit 3
expect_error '--drop-caches node: .*/proc/sys/vm/drop_caches.*-N 1'
[[ -z $(ls -A "$files/open") ]] || fail "something was made all the same"
