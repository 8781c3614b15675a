# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions for the shell of a situation or of a clean run (lib.py starts it). The shell has a mount namespace of its own, so that
# the kernel unmounts and detaches whatever it set up as soon as its last process ends, even after SIGKILL.
# shellcheck disable=SC2154 # lib.py assigns work and result
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
shopt -s lastpipe

unmet() { # unmet REASON...: this machine cannot set the situation up; the driver skips it
    echo "$*" >"$work/.unmet"
    exit 77
}

need() { # need COMMAND...
    local command
    for command; do
        command -v "$command" >/dev/null || unmet "there is no $command"
    done
}

# ---------------------------------------------------------------- file systems

# Makes a file system in a file and mounts it at $work/NAME. The loop device goes past the page cache ("dio") or through it ("nodio").
make_fs() { # make_fs NAME ext4|xfs|btrfs SIZE dio|nodio [MOUNT-OPTIONS [MKFS-OPTIONS]]
    local image=$work/$1.img directory=$work/$1 loop words
    read -ra words <<<"${6-}"
    need losetup "mkfs.$2"
    fallocate -l "$3" "$image"
    case $2 in
    # Nothing is left for the kernel to initialise while the run is measured.
    ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "${words[@]}" "$image" >/dev/null ;;
    xfs) mkfs.xfs -q -f -K "${words[@]}" "$image" >/dev/null ;;
    btrfs) mkfs.btrfs -q -f --nodiscard "${words[@]}" "$image" >/dev/null ;;
    esac
    loop=$(attach "$image" "$4")
    mkdir -p "$directory"
    mount -t "$2" ${5:+-o "$5"} "$loop" "$directory" || unmet "$2 cannot be mounted"
    losetup -d "$loop" # the kernel detaches it when it is unmounted
    # shellcheck disable=SC2034 # for the rows
    device=$loop
}

attach() { # attach FILE dio|nodio: prints the loop device
    local loop queue
    loop=$(losetup --find --show --nooverlap "$1" 2>/dev/null) || unmet "no loop device can be had"
    # What a row before set is still there.
    queue=/sys/block/${loop#/dev/}/queue
    cat "$queue/max_hw_sectors_kb" >"$queue/max_sectors_kb" || true
    echo 128 | tee "$queue/nr_requests" "$queue/read_ahead_kb" >/dev/null || true
    if [[ $2 == dio ]]; then
        losetup --direct-io=on "$loop" 2>/dev/null || { losetup -d "$loop"; unmet "no direct I/O on the file system of $1"; }
    else
        losetup --direct-io=off "$loop" 2>/dev/null || true
    fi
    echo "$loop"
}

make_tmpfs() { # make_tmpfs NAME SIZE
    mkdir -p "$work/$1"
    mount -t tmpfs -o "size=$2" weir-test "$work/$1" || unmet "no tmpfs can be mounted"
}

# Pages of inodes and directories that the journal still holds are dropped the second time.
drop_caches() {
    local time
    for time in first second; do
        sync
        echo 3 >/proc/sys/vm/drop_caches || unmet "the caches of this node cannot be dropped ($time time)"
    done
}

# ---------------------------------------------------------------- load, and control groups

busy_loops() { # busy_loops COUNT: they end with the shell, or after a minute
    local i
    for ((i = 0; i < $1; i++)); do
        "$WEIR_PYTHON" -c $'import signal\nsignal.alarm(60)\nwhile True: pass' &
        own+=($!)
    done
    sleep 0.3
}

# Makes a control group of version 1 or 2 and prints its directory; lib.py removes it.
make_group() { # make_group CONTROLLER
    local root=/sys/fs/cgroup/$1 name=weir-trust-$$-$RANDOM
    [[ -w $root/cgroup.procs ]] || root=/sys/fs/cgroup
    [[ -w $root/cgroup.procs ]] || unmet "no control group can be made"
    mkdir "$root/$name" 2>/dev/null || unmet "no control group can be made"
    echo "$root/$name" >>"$work/.groups"
    echo "$root/$name"
}

# ---------------------------------------------------------------- runs

launch=(mpiexec --oversubscribe -n)
((${WEIR_IS_MPICH-0} == 0)) || launch=(mpiexec -n)

weir() { # weir RANKS OPTION...: the run that is judged
    local ranks=$1
    shift
    echo "+ mpiexec -n $ranks weir $*" >>"$work/.commands"
    "${launch[@]}" "$ranks" ${within[@]+"${within[@]}"} "${program:-$WEIR}" "$@" --result "$result" </dev/null
}

prepare() { # prepare RANKS OPTION...: a run that sets the situation up, and is not judged
    local ranks=$1
    shift
    echo "+ mpiexec -n $ranks weir $*" >>"$work/.commands"
    "${launch[@]}" "$ranks" "$WEIR" "$@" </dev/null >"$work/.prepared" 2>&1 || { cat "$work/.prepared"; exit 1; }
}

own=()
within=()
end_own() {
    local process
    for process in ${own[@]+"${own[@]}"}; do kill "$process" 2>/dev/null || true; done
}
trap end_own EXIT

# ---------------------------------------------------------------- hosts

# A run on the virtual hosts n1 and n2 (scripts/testbed/testbed-hosts), which share all mounts of this shell.
weir_hosts() { # weir_hosts RANKS-OF-EACH OPTION...
    local each=$1
    shift
    [[ ! ${WEIR_IS_MPICH-} ]] || unmet "this test is written for the launcher of Open MPI"
    echo "+ mpiexec -n $((2 * each)) --host n1:$each,n2:$each weir $*" >>"$work/.commands"
    "$WEIR_ROOT/scripts/testbed/testbed-hosts" run -- mpiexec -n $((2 * each)) --host "n1:$each,n2:$each" \
        ${within[@]+"${within[@]}"} "${program:-$WEIR}" "$@" --result "$result" </dev/null
}

# ---------------------------------------------------------------- things that go wrong

# A library that turns the syncs of a program into nothing, as libeatmydata and some containers do.
no_syncs() {
    need cc
    cat >"$work/no_syncs.c" <<'C'
int fsync(int file) { return (void)file, 0; }
int fdatasync(int file) { return (void)file, 0; }
int syncfs(int file) { return (void)file, 0; }
void sync(void) {}
int sync_file_range(int file, long offset, long size, unsigned flags) { return (void)file, (void)offset, (void)size, (void)flags, 0; }
C
    cc -shared -fPIC -w -o "$work/no_syncs.so" "$work/no_syncs.c" || unmet "no C compiler"
    within=(env "LD_PRELOAD=$work/no_syncs.so")
}

# Limits what processes of the returned group write to (or read from) a device. Others are not limited.
limit_io() { # limit_io write|read BYTES-PER-SECOND DEVICE: sets `group` and `number`; 0 is no limit yet
    number=$(printf '%d:%d' 0x"$(stat -c %t "$3")" 0x"$(stat -c %T "$3")")
    group=$(make_group blkio)
    if [[ -e $group/blkio.throttle.$1_bps_device ]]; then
        echo "$number $2" >"$group/blkio.throttle.$1_bps_device"
    elif [[ -e $group/io.max ]]; then
        echo "$number ${1:0:1}bps=$2" >"$group/io.max"
    else
        unmet "control groups do not limit I/O here"
    fi
    # shellcheck disable=SC2016 # the inner shell expands them
    within=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
}

# Writes to another file of the device, past the page cache, until the shell ends.
foreign_writes() { # foreign_writes DIRECTORY
    # shellcheck disable=SC2016
    timeout --foreground 60 bash -c 'while :; do dd if=/dev/zero of="$0/.foreign" bs=1M count=128 oflag=direct conv=notrunc status=none; done' "$1" &
    own+=($!)
    sleep 0.2
}
foreign_reads() { # foreign_reads DIRECTORY
    dd if=/dev/zero of="$1/.foreign" bs=1M count=128 oflag=direct status=none
    # shellcheck disable=SC2016
    timeout --foreground 60 bash -c 'while :; do dd if="$0/.foreign" of=/dev/null bs=1M iflag=direct status=none; done' "$1" &
    own+=($!)
    sleep 0.2
}

after_phases() { # after_phases N COMMAND...: in the background, once the result file has so many phases
    local number=$1
    shift
    (
        while [[ ! -s $result ]] || (($(grep -c '"record": *"phase"' "$result" || true) < number)); do sleep 0.02; done
        "$@"
    ) &
    own+=($!)
}
