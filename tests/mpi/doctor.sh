#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir doctor, started by hand: what it claims is what a run then finds, its ways out lead out, and nothing of it is left.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

groups=()
clean_up() {
    local group
    for group in "${groups[@]}"; do
        [[ ! -d $group ]] || rmdir "$group"
    done
}

doctor() { # doctor WORD...
    capture "$WEIR" doctor "$@"
}

expect_verdict() { # expect_verdict VERDICT SUBJECT [PATTERN]: the words of lines that were broken are joined
    tr '\n' ' ' <"$out" | tr -s ' ' >"$work/.joined"
    grep -qE "^  $1 +$2 " "$out" || fail "$2 is not $1"
    grep -qE "$1 $2 [^>]*${3-}" "$work/.joined" || fail "of $2 it is not said that '$3'"
}

way_out() { # way_out SUBJECT PATTERN: the first way out of the subject that has it in it
    awk -v subject="  $1 " -v pattern="$2" '
        !/^ +->/ { if (/^  (good|limited|missing|note)/) inside = index($0, subject) > 0 }
        inside && /^ +->/ && $0 ~ pattern { sub(/^ +-> /, ""); print; exit }' "$out"
}

as_nobody() { # as_nobody COMMAND...
    setpriv --reuid 65534 --regid 65534 --clear-groups env -u OMPI_MCA_orte_tmpdir_base "$@"
}

# ---- as it is

doctor "$files"
expect_done
expect_line '^[0-9]+ good, [0-9]+ limited, [0-9]+ missing$'
expect_no_line '\(null\)'
expect_line '^Target$'
expect_files ''
for verdict in good limited missing; do
    (($(grep -cE "^  $verdict " "$out") == $(sed -nE "s/^.*\b([0-9]+) $verdict.*/\1/p" "$out" | tail -n 1))) ||
        fail "the summary has another number of $verdict"
done
# What is limited or missing has a way out.
awk '/^  (limited|missing) / { if (waits) exit 1; waits = 1; next } /^ +->/ { waits = 0 } /^  (good|note) |^$/ { if (waits) exit 1 }' \
    "$out" || fail "something is limited or missing, and there is no way out"

# What a run on it can observe; in memory there is nothing to observe of a storage.
doctor "$files"
expect_line ' (observed by|cannot be observed here)'
expect_no_line ': seen by'
if [[ -w /dev/shm && $(stat -f -c %T /dev/shm) == tmpfs ]]; then
    doctor /dev/shm
    expect_done
    expect_verdict limited storage 'the file system is memory'
    [[ $(way_out storage measure) == '--measure memory '* ]] || fail "nothing is said of --measure memory"
    for question in page-cache supplied stored synced names; do
        expect_no_line "^  [a-z]+ +$question "
    done
fi

doctor
expect_done
expect_verdict note target 'no path was given'
doctor "$files" --pin pu --ranks 1
expect_done
expect_line '^ +rank 0 +processor'

# ---- what is refused

doctor "$files/none"
expect_exit 2
expect_error "$files/none: No such file"
doctor --ranks 1 --pin storage
expect_exit 2

# ---- files and directories, and names that would end a line

touch "$files/f"
doctor "$files/f"
expect_done
mkdir "$files/two words"
doctor "$files/two words"
expect_done
expect_files f
rm -r "${files:?}"/*

# ---- the alignment is what a run needs

if can_bypass_cache; then
    doctor "$files"
    expect_verdict good O_DIRECT
    step=$(sed -nE 's/^  good +O_DIRECT .* multiples of ([0-9]+) bytes.*/\1/p' "$out")
    run 1 -a direct -w -r -R -t "$step" -b "$((64 * step))" -o "$files/f"
    expect_done
    if ((step > 1)); then
        run 1 -a direct -w -t "$((step / 2))" -b "$((64 * step))" -o "$files/f"
        expect_exit 2
    fi
    touch "$files/f"
    doctor "$files/f"
    expect_verdict good O_DIRECT "multiples of $step bytes"
    rm -f "$files/f"
fi

# ---- what io_uring is said to do, it does

if "$WEIR" backends | grep -q '^uring '; then
    doctor "$files"
    for row in IOPOLL:iopoll:--direct NOWAIT:nowait: DONTCACHE:dontcache:; do
        IFS=: read -r subject option more <<<"$row"
        doctor "$files"
        verdict=$(sed -nE "s/^  ([a-z]+) +$subject .*/\1/p" "$out")
        [[ -n $verdict ]] || continue
        # shellcheck disable=SC2086
        run 1 -a uring --uring.$option $more -w -t 4k -b 64k -o "$files/f"
        if [[ $verdict == good ]]; then
            expect_done
        elif ! grep -q 'not tried' "$out"; then
            expect_exit 2
        fi
        expect_files ''
    done
fi

# ---- as somebody who may do little

need_root
command -v setpriv >/dev/null || skip "there is no setpriv (scripts/deps test); everything else was tried"
chmod 755 "$work"
chmod 700 "$files"
as_nobody test -x "$WEIR" || skip "nobody may not run $WEIR, which takes a build in a directory that all may enter; everything else was tried"

little() { # little LIMIT WORD...: as nobody, with so many KiB of memory that may be locked
    local limit=$1
    shift
    capture with_limit "$limit" as_nobody "$@"
}

with_limit() ( # with_limit KIB COMMAND...
    ulimit -l "$1"
    shift
    "$@"
)

# In a chroot, the root is no mount point, and nothing is known of its file system.
doctor "$files"
! grep -q 'the kernel does not tell what is behind' "$out" || skip "the mount of $files is not known here, which takes a root that is a mount point, not a chroot; everything else was tried"

little 64 "$WEIR" doctor "$files"
expect_done
expect_verdict limited memlock '65536 bytes'
expect_verdict limited 'file system' 'may not be written'
expect_verdict limited 'drop caches'
[[ $(way_out memlock limits.d) == "as root: echo '* - memlock unlimited' > "* ]] ||
    fail "nothing is said of limits.d"
chmod 777 "$files"
little 64 "$WEIR" doctor "$files"
expect_no_line 'may not be written'
expect_files ''

# A run says the same of buffers that cannot be registered.
if grep -qE '^  limited +fixed buffers ' "$out"; then
    little 64 "$WEIR" ior -a uring -w -t 1m -b 1m -o "$files/f"
    expect_done
    expect_line 'buffers of 32m were not registered'
    if (ulimit -l unlimited) 2>/dev/null; then
        little unlimited "$WEIR" doctor "$files"
        expect_verdict good memlock unlimited
        expect_verdict good 'fixed buffers'
        little unlimited "$WEIR" ior -a uring -w -t 1m -b 1m -o "$files/f"
        expect_done
        expect_no_line 'were not registered'
    fi
fi

# A soft limit is raised as the way out says.
capture as_nobody bash -c 'ulimit -Sn 256; exec "$@"' bash "$WEIR" doctor
expect_verdict limited 'open files' '256 per process'
words=$(way_out 'open files' 'ulimit -n' | sed 's/.*: //')
if [[ -n $words ]]; then
    capture as_nobody bash -c "ulimit -Sn 256; $words; exec \"\$@\"" bash "$WEIR" doctor
    expect_verdict good 'open files'
fi

# Processors that somebody has taken away are given back.
cpus=$(nproc)
if ((cpus > 1)) && command -v taskset >/dev/null; then
    capture taskset -c "$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')" "$WEIR" doctor
    expect_verdict limited processors
    words=$(way_out processors 'taskset -cp' | sed -E 's/.*: (taskset -cp [^ ]+ ..),.*/\1/')
    capture taskset -c 0 bash -c "$words >/dev/null; exec \"\$@\"" bash "$WEIR" doctor
    expect_verdict good processors
fi

# ---- no direct transfers, no storage

if unshare -m true 2>/dev/null; then
    mkdir "$work/memory"
    # shellcheck disable=SC2016
    capture unshare -m bash -c 'mount -t ramfs none "$2" && exec "$1" doctor "$2"' bash "$WEIR" "$work/memory"
    expect_done
    expect_verdict missing O_DIRECT 'no direct I/O'
    expect_verdict limited 'file system' 'memory of the node'
    # shellcheck disable=SC2016
    capture unshare -m bash -c 'mount -t tmpfs -o ro none "$2" && exec "$1" doctor "$2"' bash "$WEIR" "$work/memory"
    expect_done
    expect_verdict limited O_DIRECT 'not tried'
    expect_verdict limited 'file system' 'read-only'
fi

# ---- control groups

make_group() { # make_group CONTROLLER: sets $group
    local mount
    mount=$(awk -v controller="$1" '$3 == "cgroup" && ("," $4 ",") ~ ("," controller ",") { print $2; exit }' /proc/mounts)
    if [[ -z $mount ]]; then
        mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
        grep -qw "$1" "$mount/cgroup.subtree_control" 2>/dev/null || return 1
    fi
    group=$mount/weir-doctor-$$-$1
    mkdir "$group" 2>/dev/null || return 1
    groups+=("$group")
}

write_group() { # write_group FILE-OF-VERSION-1=VALUE FILE-OF-VERSION-2=VALUE
    local word
    for word in "$@"; do
        [[ ! -e $group/${word%%=*} ]] || echo "${word#*=}" >"$group/${word%%=*}"
    done
}

inside_group() { # inside_group COMMAND...
    # shellcheck disable=SC2016
    capture bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' bash "$group" "$@"
}

expect_way_out_of_group() { # expect_way_out_of_group SUBJECT: if it is ours to follow
    local words
    words=$(way_out "$1" '^ +-> as root: echo ')
    [[ -n $words ]] || return 0
    [[ $words == *"$group/"* ]] || fail "the way out of $1 is not in $group: $words"
    bash -c "${words#as root: }" || fail "the way out of $1 leads nowhere: $words"
    inside_group "$WEIR" doctor
    expect_verdict good "$1"
}

tried=0
if make_group memory; then
    write_group memory.limit_in_bytes=268435456 memory.max=268435456
    inside_group "$WEIR" doctor "$files"
    expect_done
    expect_verdict limited memory 'leaves 256 MiB of'
    expect_way_out_of_group memory
    tried=$((tried + 1))
fi
if make_group cpu; then
    write_group cpu.cfs_period_us=100000 cpu.cfs_quota_us=50000 "cpu.max=50000 100000"
    inside_group "$WEIR" doctor "$files"
    expect_done
    expect_verdict limited 'CPU quota' '0\.50 processors'
    expect_way_out_of_group 'CPU quota'
    tried=$((tried + 1))
fi
expect_files ''
((tried == 2)) || skip "no control groups can be made here, which takes root and a writable /sys/fs/cgroup; everything else was tried"
