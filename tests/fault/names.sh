#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A name that another program changes while a run works on it: between the look at it and the open, and before the removal.
# Whatever is under the name then, not a byte of it is written, and it is not removed.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
WEIR=$WEIR_TEST
victim=$work/victim
small=(-w -t 4k -b 64k -o "$files/f")

expect_victim() {
    cmp -s "$victim" "$work/precious" || fail "a file of somebody else was written: $(head -c 40 "$victim" | tr -d '\0')"
}

# One process, or ranks: what is put under the name is a link to the victim, or a copy of it.
swapped() { # swapped RANKS API KIND OPTION...
    local ranks=$1 api=$2 kind=$3
    shift 3
    rm -rf "${files:?}"/* "$work/in"
    seq 20000 >"$work/precious"
    cp "$work/precious" "$victim"
    case $kind in
    symbolic) ln -s "$victim" "$work/in" ;;
    hard) ln "$victim" "$work/in" ;;
    file) cp "$victim" "$work/in" ;;
    fifo) mkfifo "$work/in" ;;
    esac
    if [[ " $* " == *" -E "* ]]; then
        "$WEIR" -a POSIX "${small[@]}" -k >"$out" 2>"$err" || fail "nothing could be written before"
    fi
    if ((ranks == 1)); then
        capture "$WEIR" -a "fault:$api" "${small[@]}" --fault.swap "$work/in" "$@"
    else
        run "$ranks" -a "fault:$api" "${small[@]}" --fault.swap "$work/in" "$@"
    fi
    expect_exit 1
    expect_victim
    [[ ! -e $work/in ]] || fail "nothing was put under the name"
    cmp -s "$files"/f* "$work/precious" || fail "what was put under the name is not there any more, or was written"
}

apis=(posix direct mmap mpiio)
"$WEIR" backends 2>/dev/null | grep -q '^libaio' && apis+=(libaio)
"$WEIR" -a URING -w -t 4k -b 64k -o "$files/probe" >/dev/null 2>&1 && apis+=(uring)
for api in "${apis[@]}"; do
    for kind in symbolic hard file; do
        swapped 1 "$api" $kind
        swapped 1 "$api" $kind -E -k
    done
done
for api in posix mpiio; do
    swapped 2 $api hard --fault.rank 0
    swapped 2 $api symbolic --fault.rank 1 -E -k
    swapped 2 $api file --fault.rank 1
done

# Before the removal at the end.
swapped 1 posix hard --fault.swap-at close
swapped 1 mmap file --fault.swap-at close
swapped 2 posix symbolic -g --fault.swap-at close --fault.rank 0
expect_error 'remove .*f: another file'

# With --overwrite a link is followed, as was asked for.
rm -rf "${files:?}"/*
ln -s "$victim" "$files/f"
capture "$WEIR" -a POSIX "${small[@]}" -E -k --overwrite
expect_exit 0
! cmp -s "$victim" "$work/precious" || fail "--overwrite followed no link"

# A FIFO in the place of what was written, when it is to be read: no open waits for a writer.
for api in "${apis[@]}" stdio; do
    rm -rf "${files:?}"/* "$work/in"
    mkfifo "$work/in"
    capture timeout 60 "$WEIR" -a "fault:$api" "${small[@]}" -r -k --fault.swap "$work/in" --fault.swap-at close
    expect_exit 1
    expect_error 'FIFO|not a regular file|another file'
    [[ -p $files/f ]] || fail "the FIFO was removed"
done
for words in "mdtest -F -n 1 -w 100 -e 100 -C -E -d" "md-workbench -D 1 -P 2 -I 1 -R 1 -o"; do
    rm -rf "${files:?}"/* "$work/in"
    mkfifo "$work/in"
    # shellcheck disable=SC2086
    capture timeout 60 "$WEIR" $words "$files/d" -a fault:posix --fault.swap "$work/in" --fault.swap-at close
    expect_exit 1
    expect_error 'FIFO|not a regular file|another|Illegal seek'
done
