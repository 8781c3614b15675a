#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a run refuses whatever its ranks, hosts and devices are, --explain refuses with the same words; and what is at the
# edge of it, both take.
. "$(dirname "$0")/lib.sh"

has_backend() { # has_backend NAME
    "$WEIR" backends | grep -q "^$1 "
}

refused_alike() { # refused_alike OPTIONS...
    capture "$WEIR" ior -w -t 64k -b 64k -o "$files/f" "$@" --explain
    expect_exit 2
    [[ ! -s $out ]] || fail "a plan that is refused is explained"
    cp "$err" "$work/explained"
    capture "$WEIR" ior -w -t 64k -b 64k -o "$files/f" "$@"
    expect_exit 2
    cmp -s "$err" "$work/explained" || fail "the run refuses it with other words than --explain: $(<"$work/explained")"
}

explained() { # explained OPTIONS...
    capture "$WEIR" ior -w -t 64k -b 64k -o "$files/f" "$@" --explain
    expect_done
}

if has_backend rdma; then
    for wrong in --rdma.targets=nan --rdma.targets=0 --rdma.targets=-1 --rdma.targets=1025 --rdma.capacity=0 \
        --rdma.timeout=0 --rdma.mtu=300; do
        refused_alike -a RDMA "$wrong"
    done
    for right in --rdma.targets=1024 --rdma.targets=self --rdma.targets=per-node --rdma.capacity=1m; do
        explained -a RDMA "$right"
    done
fi
if has_backend uring; then
    refused_alike -a uring --uring.sqpoll --uring.sqpoll-cpu=9223372036854775807
    refused_alike -a uring --uring.sqpoll-cpu=1
    refused_alike -a uring --posix.rangelocks
    explained -a uring --uring.sqpoll --uring.sqpoll-cpu=2147483647
fi
if has_backend libaio; then
    refused_alike -a libaio --posix.rangelocks
    explained -a libaio
fi
has_backend rdma || has_backend uring || has_backend libaio || skip "no backend with options of its own: scripts/deps build, and configure again"

# --explain says what a run would end with, of the target as it is; it makes nothing.
explain() { # explain PATTERN OPTION...: the line, or none for ""
    local pattern=$1
    shift
    run 1 --explain -t 64k -b 128k "$@"
    expect_done
    if [[ $pattern ]]; then
        expect_line "^  PROBLEM $pattern"
    else
        expect_no_line PROBLEM
    fi
}

rm -rf "${files:?}"/*
echo precious >"$files/precious"
run 2 -w -k -t 64k -b 128k -F -o "$files/own"
expect_done
explain 'write: .*precious exists, and holds no data of a benchmark' -w -o "$files/precious"
explain 'write: .*precious exists' -a MPIIO -c -w -r -o "$files/precious"
explain 'write: .*none: No such file or directory' -w -o "$files/none/f"
explain 'read: .*absent: No such file or directory' -r -k -o "$files/absent"
explain 'read: .*own.00000000 has 131072 bytes, and would be read up to 1048576' -r -k -F -b 1m -o "$files/own"
explain 'write: .*is a directory' -w -o "$files"
explain '' -w -r -o "$files/new"
explain '' -r -k -F -o "$files/own"
explain '' -w -r -o "$files/precious" --overwrite
explain '' -r -R -k -F -D 1 -b 1m -o "$files/own"
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
    mkdir "$files/m"
    # shellcheck disable=SC2016 # of the inner shell
    capture unshare -m bash -c 'mount -t tmpfs -o ro none "$1/m" && shift && exec "$@"' bash "$files" "$WEIR" --explain -w -o "$files/m/f"
    expect_done
    expect_line '^  PROBLEM write: .*m: Read-only file system'
    rmdir "$files/m"
fi
expect_files precious own.00000000 own.00000001
