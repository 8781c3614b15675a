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
has_backend rdma || has_backend uring || has_backend libaio || skip "no backend with options of its own"
