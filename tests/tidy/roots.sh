#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# roots.sh ROOT: scripts/testbed/root-run refuses names that it does not have, and is skipped, with a sentence and without
# leaving anything, where it can make no root. Roots themselves are the tests roots.NAME of continuous integration.
set -euo pipefail

readonly root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/weir-roots.XXXXXX")
trap 'rm -rf "$work"' EXIT
export WEIR_ROOTS=$work/roots
failed=0

expect() { # expect CODE SENTENCE COMMAND...
    local code=$1 sentence=$2 status=0
    shift 2
    timeout 120 "$@" </dev/null >"$work/said" 2>&1 || status=$?
    if ((status != code)) || ! grep -qF -- "$sentence" "$work/said"; then
        echo "failed: $* ends with $status, not $code, or does not say: $sentence"
        cat "$work/said"
        failed=1
    fi
    [[ ! -e $work/roots ]] || { echo "failed: $* leaves something in $work/roots"; failed=1; }
}

# Nobody may not read a work tree in a home directory of root.
cp "$root/scripts/testbed/root-run" "$work/"
chmod 755 "$work" "$work/root-run"

expect 2 'there is no root "debian1", but: debian11 debian13-openmpi5 debian13-mpich aarch64' "$work/root-run" debian1
expect 2 Usage: "$work/root-run" --tidy debian11
expect 2 Usage: "$work/root-run"
if ((EUID == 0)); then
    expect 77 'skipped: a root directory needs root' setpriv --reuid 65534 --regid 65534 --clear-groups "$work/root-run" debian11
    # shellcheck disable=SC2016 # words of that shell
    expect 77 'skipped: there is no debootstrap here: scripts/deps root' bash -c '
        command() { [[ $2 != debootstrap ]] && builtin command "$@"; }
        export -f command
        exec "$0" debian11' "$work/root-run"
    if command -v debootstrap >/dev/null && unshare --mount --pid --fork true 2>/dev/null; then
        expect 77 'skipped: http://127.0.0.1:9/debian cannot be reached, or has no bullseye' \
            env -u http_proxy WEIR_MIRROR=http://127.0.0.1:9/debian "$work/root-run" debian11
    fi
else
    expect 77 'skipped: a root directory needs root' "$work/root-run" debian11
fi
exit "$failed"
