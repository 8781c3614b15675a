#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where the system gives less than the queue would like: less is done with, and told; or it is refused, with the way out.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

has_engine() { "$WEIR" backends | grep -q "^$1 "; }

verify() { # verify COMMAND... -- OPTION...: two ranks, with what stands before --
    local before=()
    while [[ $1 != -- ]]; do before+=("$1"); shift; done
    shift
    rm -rf "$result" "${files:?}"/*
    capture "${before[@]}" mpiexec -n 2 "$WEIR" -w -W -r -R -t 4k -b 1m --depth 128 -o "$files/f" --result "$result" "$@"
}

expect_verified() {
    expect_done
    expect_record "written.bytes == 2 * 2**20 and checking.wrong == reading.wrong == 0 and reading.checked == 512"
}

# ---- a ring that is smaller than the depth ----

for engine in libaio uring; do
    has_engine $engine || continue
    for shape in "" "-F -z" "-Y -F"; do
        # shellcheck disable=SC2086
        verify env -- -a $engine --$engine.entries=8 $shape
        expect_verified
    done
done

# ---- little memory that may be locked ----

limit=(prlimit --memlock=65536:65536)
((EUID)) || limit+=(setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock)
expect_less_or_refusal() {
    if ((status == 0)); then
        expect_verified
        expect_record "any(f.name == 'not-granted' for p in phases for f in p.findings)"
        grep -qE 'memlock|RLIMIT_MEMLOCK|ulimit -l' "$out" "$err" || fail "nobody tells the limit"
    else
        ((status == 2 || status == 3)) || fail "neither done nor refused"
        expect_error 'memlock|RLIMIT_MEMLOCK|ulimit -l'
    fi
}
if has_engine uring; then
    if "${limit[@]}" true; then
        verify "${limit[@]}" -- -a uring
        expect_less_or_refusal
        # Without what has to be locked there is nothing to complain about.
        verify "${limit[@]}" -- -a uring --uring.fixed-buffers=0
        expect_verified
    else
        echo "no limit of locked memory can be set here: left out"
    fi
fi

# ---- a kernel that does not let us ----

forbid() { python3 -B "$WEIR_ROOT/tests/mpi/forbid.py" "$@"; }
expect_refused() { # expect_refused PATTERN
    ((status == 2 || status == 3)) || fail "the exit code is neither 2 nor 3"
    expect_error "$1"
    expect_files ''
}
if has_engine uring && forbid EPERM 425 true; then
    for error in EPERM ENOSYS; do
        verify python3 -B "$WEIR_ROOT/tests/mpi/forbid.py" $error 425 -- -a uring
        expect_refused 'io_uring.*(-a |libaio|posix)'
    done
fi
case $(uname -m) in x86_64) io_setup=206 ;; aarch64 | riscv64) io_setup=0 ;; *) io_setup= ;; esac
if has_engine libaio && [[ $io_setup ]] && forbid ENOSYS $io_setup true; then
    for error in EPERM EACCES ENOSYS; do
        verify python3 -B "$WEIR_ROOT/tests/mpi/forbid.py" $error $io_setup -- -a libaio
        expect_refused 'io_setup.*(-a |uring|posix)'
        [[ $error == ENOSYS ]] || expect_error 'io_setup is forbidden .*seccomp'
    done
fi

# ---- no memory to share ----

if forbid EPERM 319 true && [[ $(uname -m) == x86_64 ]]; then
    for error in EPERM ENOSYS; do
        verify python3 -B "$WEIR_ROOT/tests/mpi/forbid.py" $error 319 -- -a RDMA
        expect_refused 'memfd_create is forbidden .*seccomp'
        capture python3 -B "$WEIR_ROOT/tests/mpi/forbid.py" $error 319 mpiexec -n 2 "$WEIR" net --size 4k --duration 0.1
        expect_refused 'memfd_create is forbidden .*seccomp'
        ! grep -q 'give less capacity\|give a smaller' "$err" || fail "less memory is no remedy"
    done
fi

# ---- a file system that knows no O_DIRECT ----

bypass_ramfs() { # bypass_ramfs ENGINE: a mount that only this run sees
    rm -f "$result"
    # shellcheck disable=SC2016
    capture unshare --mount --map-root-user "$BASH" -c '
        mount -t ramfs none "$1" || exit 77
        status=0
        mpiexec -n 2 "$WEIR" -a "$0" --direct --depth 8 -w -t 4k -b 64k -o "$1/f" || status=$?
        find "$1" -mindepth 1 | grep . && exit 99
        exit $status' "$1" "$files"
}
for engine in libaio uring; do
    has_engine $engine || continue
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 bypass_ramfs $engine
    if ((status == 77)) || grep -q '^unshare:' "$err"; then
        skip "no ramfs can be mounted here, which takes root; all else was fine: $(tail -n 1 "$err")"
    fi
    expect_refused 'no direct I/O.*(--direct|-a POSIX)'
done
