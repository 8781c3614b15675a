#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/deps asks for every package of a group that is not there, and for none that is. The tools of the system are
# stood in for; the groups slurm and vm do more than that, and are not looked at.
set -euo pipefail

readonly deps=$1/scripts/deps
work=$(mktemp -d "${TMPDIR:-/tmp}/weir-deps.XXXXXX")
trap 'rm -rf "$work"' EXIT

stand_in() { # stand_in COMMAND BODY
    printf '#!/bin/bash\n%s\n' "$2" >"$work/$1"
    chmod +x "$work/$1"
}
# Of all packages, only those in this file are installed.
stand_in dpkg-query "grep -qxF -- \"\${@: -1}\" '$work/installed' && printf installed"
stand_in apt-get "printf '%s\\n' \"\$@\" | sed -n '/^install\$/,\$p' | sed 1d >>'$work/asked'"
stand_in python3 "exit 0"
stand_in sudo "exec \"\$@\""

# The words of the groups, as the shell itself splits them.
declare -A packages_of
eval "$(sed -n 's/^readonly testbed/testbed/p; /^declare -A packages_of/,/^)/p; /^packages_of\[/p' "$deps")"
((${#packages_of[@]} >= 7)) || { echo "failed: the groups cannot be read"; exit 1; }

expect_asked() { # expect_asked GROUP PACKAGE...
    local group=$1
    shift
    : >"$work/asked"
    PATH=$work:$PATH "$deps" "$group" 2>/dev/null || { echo "failed: deps $group ends with $?"; exit 1; }
    diff <(printf '%s\n' "$@" | sort -u | sed '/^$/d') "$work/asked" ||
        { echo "failed: deps $group asks for other packages (>) than it names (<)"; exit 1; }
}

for group in build testbed test bench lint data all fuzz gluster root; do
    read -rd '' -a words <<<"${packages_of[$group]}" || true
    : >"$work/installed"
    expect_asked "$group" "${words[@]}"
    printf '%s\n' "${words[0]}" "${words[-1]}" >"$work/installed"
    mapfile -t missing < <(printf '%s\n' "${words[@]}" | grep -vxF -f "$work/installed" || true)
    expect_asked "$group" "${missing[@]}"
done
