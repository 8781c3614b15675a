#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One path that is another file system on each of two hosts: a file that both have is no shared one, kinds of file systems that
# differ are told, and node-local files of ranks are worth a note. Where both see one file system nothing is said.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=hosts_lib.sh
. "$WEIR_ROOT/tests/mpi/hosts_lib.sh"
enter_hosts 2 storage_differs.sh "$@"
export OMPI_MCA_orte_tmpdir_base=/tmp

mkdir "$work/local" "$files/common"
cat >"$work/own" <<'END_OF_RANK'
#!/bin/bash
# The directory "local" of each host is a file system of its own, on n2 one of type $KIND.
type=tmpfs
[[ $(hostname) == n1 ]] || type=$KIND
mount -t "$type" -o size=16m weir-own local || exit 3
head -c 1048576 /dev/zero >local/f
exec "$WEIR" "$@"
END_OF_RANK
chmod 755 "$work/own"

try() { # try TYPE-ON-n2 OPTION...: of two hosts with a rank each
    rm -f "$result"
    KIND=$1 capture timeout 120 mpiexec -n 2 --host n1:1,n2:1 -x WEIR -x WEIR_DETAILS -x KIND --wdir "$work" unshare -m "$work/own" "${@:2}" \
        --result "$result"
    expect_done
}

# expect_differs SEVERITY EFFECT [COUNT]: in so many phases at least
expect_differs() {
    expect_record "(lambda found: len(found) > 0 and all(f.level == '$1' and f.effect == '$2' for f in found))(
        [f for p in phases for f in p.findings if f.name == 'storage-differs'])"
}

try tmpfs -r -E -k -t 64k -b 512k -o local/f
expect_differs warning qualify
expect_line 'storage-differs.*ranks 0 and 1 see two different files'
for words in '-w -r -F -t 64k -b 512k -o local/g' 'iozone -t 2 -i 0 -i 1 -s 64k -r 4k -F local/a local/b' \
    'dd if=/dev/zero of=local/d%r bs=64k count=10'; do
    # shellcheck disable=SC2086
    try tmpfs $words
    expect_differs note inform
    # shellcheck disable=SC2086
    try ramfs $words
    # Of lists of files each node may be given others.
    [[ $words == iozone* ]] && expect_differs note inform || expect_differs warning qualify
    # shellcheck disable=SC2086
    try tmpfs ${words//local/files\/common}
    expect_record "not any(f.name == 'storage-differs' for p in phases for f in p.findings)"
done
for words in '-w -r -t 64k -b 512k -o common/g' 'mdtest -F -n 20 -d common/t'; do
    # shellcheck disable=SC2086
    try tmpfs ${words//common/files\/common}
    expect_record "not any(f.name == 'storage-differs' for p in phases for f in p.findings)"
done
