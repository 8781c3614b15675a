#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage.sh ROOT: every script prints its usage for -h and --help, ends with 0, and starts nothing for it.
set -euo pipefail

readonly root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/weir-usage.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

# What would install, build or check something says that it was called.
for name in apt-get dpkg-query sudo cmake ctest ninja clang clang-format clang-tidy cppcheck shellcheck mpiexec srun unshare; do
    printf '#!/bin/sh\necho %s >>"%s/called"\nexit 1\n' "$name" "$work" >"$work/$name"
    chmod +x "$work/$name"
done

count=0
while IFS= read -r script; do
    count=$((count + 1))
    for option in -h --help; do
        status=0
        PATH=$work:$PATH timeout 20 "$script" "$option" </dev/null >"$work/said" 2>"$work/stderr" || status=$?
        if ((status)) || ! grep -qi '^usage' "$work/said" || [[ -s $work/called ]]; then
            echo "failed: ${script#"$root"/} $option ends with $status; it called: $(sort -u "$work/called" 2>/dev/null | xargs)"
            head -n 3 "$work/said" "$work/stderr"
            failed=1
        fi
        rm -f "$work/called"
    done
done < <(find "$root/scripts" -maxdepth 2 -type f -perm -u+x ! -path '*.d/*' ! -name '*.sbatch' | sort)
((count >= 10)) || { echo "failed: only $count scripts were found"; exit 1; }
exit "$failed"
