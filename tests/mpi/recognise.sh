#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a benchmark has left is recognised by every dialect that meets it, whichever benchmark, original or Weir, and
# with whatever sizes and data; what is somebody's is left alone.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
code=0
"$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/originals.py" "$work/made" || code=$?
((code != 77)) || skip "the C library's rand_r is not that of glibc: nothing can be installed for it"
((code == 0)) || fail "no files from the generator"
own=$work/own
mkdir "$own"

# What is refused as anybody's numbers or letters, though a benchmark wrote it. With words that count or tell an offset
# in transfers below 64 bytes, or once in a file of 64; with any signature that is neither a time of the file nor the
# one of this run; with less than 64 bits of a hash; with pages of ones and nothing else; with a byte that is a letter.
undecided='^(ior-[to]-[a-z0-9]+-(8|16|24|40|56|one-64)|ior-i-[a-z0-9]+-8|ior-prefilled|iozone-37-4k-of-4k|iozone-V-37|parabench-100)$'
undecided_signature='^(ior-[to]|old-[to])-(42|minus|max)(-|$)'
undecided_own='^(ior-[to]-(8-4000|16-16|24-240|40-40|56-5600|64-64)|ior-[tr]-8-8|ior-i-(8-4000|16-16|40-40)|(stamp|full)-t-8-8|dd-ior-[a-z]+-[39]|dd-ior-zero-13|dd-stamp-zero-[19]|parabench-short)$'

# ---------------------------------------------------------------- written by Weir

{
    separator='IOR START'
    for data in stamp full none 'ior t' 'ior o' 'ior i' 'ior r'; do
        read -r mode pattern <<<"$data t"
        for size in '8 8' '8 4000' '16 16' '24 240' '40 40' '56 5600' '64 64' '104 10400' '512 512' '1000 9000' \
            '4096 4096' '4104 41040' '4152 415200' '65544 655440' '47008 470080' '1048576 1048576'; do
            read -r transfer block <<<"$size"
            printf '%s\n' "$separator" readfile=0 writefile=1 keepfile=1 "data=$mode" "dataPacketType=$pattern" \
                "transfersize=$transfer" "blocksize=$block" "testfile=$own/$mode-${pattern%% *}-$transfer-$block"
            separator=RUN
        done
    done
    echo 'IOR STOP'
} >"$work/job.ior"
capture "$WEIR" -f "$work/job.ior"
expect_done
for data in stamp 'ior zero' 'ior urandom'; do
    read -r mode input <<<"$data zero"
    for size in '1 1' '3 20' '9 1' '13 40' '1001 100' '4111 300' '65537 9'; do
        read -r transfer count <<<"$size"
        name=dd-$mode-${input%% *}-$transfer
        capture "$WEIR" dd "if=/dev/${input%% *}" "of=$own/$name" bs="$transfer" count="$count" --data "$mode"
        expect_done
    done
done
for data in stamp none ior; do
    capture "$WEIR" iozone -i 0 -w -s 100 -r 4 -f "$own/iozone-$data" --data $data
    expect_done
done
for words in '' --verify; do
    printf 'write("%s", 5000, 0);\nwrite("%s", 37, 0);\n' "$own/parabench$words" "$own/parabench-short$words" >"$work/job.pbl"
    # shellcheck disable=SC2086
    capture "$WEIR" parabench --anywhere $words "$work/job.pbl"
    expect_done
done

# ---------------------------------------------------------------- met by each dialect

is_refused() { # is_refused COMMAND...: before anything is touched, by the same judgement as in a run
    "$WEIR" --explain "$@" 2>&1 | grep -q PROBLEM
}

dialects=('ior' 'dd' 'iozone')
refuses() { # refuses DIALECT FILE [OPTION...]
    case $1 in
    ior) is_refused -w -t 4k -b 4k -o "$2" "${@:3}" ;;
    dd) "$WEIR" dd if=/dev/zero of="$2" bs=4k count=1 --explain 2>&1 | grep -q PROBLEM ;;
    iozone) "$WEIR" iozone -i 0 -r 4k -s 4k -f "$2" --explain 2>&1 | grep -q PROBLEM ;;
    esac
}

check() { # check FILE REGEX...: refused if its name matches one, else taken; every tenth one by all dialects
    local name=${1##*/} regex is_undecided= tried=('ior')
    ((number++ % 10 != 0)) || tried=("${dialects[@]}")
    for regex in "${@:2}"; do
        [[ ! $name =~ $regex ]] || is_undecided=1
    done
    for dialect in "${tried[@]}"; do
        if refuses "$dialect" "$1"; then
            [[ $is_undecided ]] || fail "$dialect refuses it as somebody's: $name"
        else
            [[ ! $is_undecided ]] || fail "$dialect takes it for a benchmark's: $name"
        fi
    done
}

number=0
for file in "$own"/*; do
    check "$file" "$undecided_own"
done
for file in "$work"/made/files/*; do
    check "$file" "$undecided" "$undecided_signature"
done
declare -A signatures=([42]=42 [minus]=-1234567 [max]=2147483647)
for name in "${!signatures[@]}"; do
    for file in "$work"/made/files/{ior,old}-[to]-"$name"*; do
        [[ ! ${file##*/} =~ $undecided ]] || continue
        ! refuses ior "$file" -G "${signatures[$name]}" || fail "refused with its own signature: ${file##*/}"
    done
done
for file in "$work"/made/others/*; do
    for dialect in "${dialects[@]}"; do
        refuses "$dialect" "$file" || fail "$dialect takes it for a benchmark's: ${file##*/}"
    done
done
# A run judges as --explain does, and removes what it has taken.
names=(ior-t-now-one-4096 ior-o-now-64 ior-i-42-40 ior-prefilled-partly iozone-37-4096 iozone-V-a5 parabench-4096)
{
    separator='IOR START'
    for name in "${names[@]}"; do
        cp -p "$work/made/files/$name" "$files/$name"
        printf '%s\n' "$separator" readfile=0 transfersize=4k blocksize=4k "testfile=$files/$name"
        separator=RUN
    done
    echo 'IOR STOP'
} >"$work/job.ior"
capture "$WEIR" -f "$work/job.ior"
expect_done
expect_files ''
# So much of zeros that are no holes, as dd leaves them.
dd if=/dev/zero of="$files/zeros" bs=1M count=200 status=none
! refuses dd "$files/zeros" || fail "200 MiB of zeros are refused"
printf x | dd of="$files/zeros" bs=1 seek=150000000 conv=notrunc status=none
refuses dd "$files/zeros" || fail "a letter between zeros is lost"
rm "$files/zeros"

# ---------------------------------------------------------------- items

mdtest_tree=$files/mdtest/test-dir.0-0/mdtest_tree.0
place_items() { # place_items DIRECTORY-OF-MDTEST DIRECTORY-OF-MD-WORKBENCH FILE...
    local number=0 file
    rm -rf "$files/mdtest" "$files/md-workbench"
    mkdir -p "$1" "$2"
    for file in "${@:3}"; do
        cp -p "$file" "$1/file.mdtest.0.$number"
        cp -p "$file" "$2/file-$((number++))"
    done
}
# Of items alone in their files, those below 64 bytes are recognised by a generator alone, in the item with number 3;
# with 64 bytes, words that count have no rest of a word, which the ones of 100 bytes have.
for size in 1 3 8 12 16 63 64 100 512 3901 4096 65537; do
    case $size in
    3 | 8 | 12) left='0 1 2 3' ;;
    16 | 63) left='0 1 2' ;;
    64) left='0 1' ;;
    *) left= ;;
    esac
    place_items "$mdtest_tree" "$files/md-workbench/0_0" "$work/made/items/$size"-?
    capture "$WEIR" mdtest -C -F -n 4 -w $size -d "$files/mdtest" --on-error continue
    expect_exit $((${#left} > 0))
    capture "$WEIR" md-workbench -1 -D 1 -P 4 -I 1 -S $size -o "$files/md-workbench" --on-error continue
    expect_exit $((${#left} > 0))
    for item in 0 1 2 3; do
        for file in "$mdtest_tree/file.mdtest.0.$item" "$files/md-workbench/0_0/file-$item"; do
            if cmp -s "$work/made/items/$size-$item" "$file"; then
                [[ " $left " == *" $item "* ]] || fail "item $item of $size bytes is refused: $file"
            else
                [[ " $left " != *" $item "* ]] || fail "item $item of $size bytes is overwritten: $file"
            fi
        done
    done
    # Data of mdtest that equal what this run writes are its own, down to a single byte.
    rm -rf "$files/mdtest"
    place_items "$mdtest_tree" "$files/md-workbench/0_0" "$work/made/items/$size-0"
    capture "$WEIR" mdtest -F -n 1 -w $size -d "$files/mdtest" --data ior -G "$(stat -c %Y "$work/made/items/$size-0")"
    expect_done
    ((size >= 100)) || continue
    ! refuses ior "$work/made/items/$size-0" || fail "an item of $size bytes is refused"
done
# Items of Weir, from 8 bytes on also after those of another size.
number=0
for words in '--data stamp' '--data full' '--data none' '--data ior --dataPacketType i' '--data ior --dataPacketType r'; do
    for size in 3 8 12 16 40 100; do
        [[ $words != *ior* ]] || ((size == 100)) || continue
        rm -rf "$files/mdtest"
        # shellcheck disable=SC2086
        capture "$WEIR" mdtest -C -F -n 3 -w $size -d "$files/mdtest" $words
        expect_done
        ((size < 16)) || ! refuses ior "$mdtest_tree/file.mdtest.0.2" || fail "an item of $size bytes ($words) is refused"
        ((size >= 16)) || [[ $words == *none ]] || refuses ior "$mdtest_tree/file.mdtest.0.2" || fail "an item of $size bytes ($words) is lost"
        capture "$WEIR" mdtest -C -F -n 3 -w $((size < 12 ? size : 3901)) -d "$files/mdtest"
        expect_done
    done
done
others=("$work"/made/others/*)
for size in 1 8 16 64 4096; do
    place_items "$mdtest_tree" "$files/md-workbench/0_0" "${others[@]}"
    capture "$WEIR" mdtest -F -C -n ${#others[@]} -w $size -d "$files/mdtest" --on-error continue
    expect_exit 1
    capture "$WEIR" md-workbench -1 -D 1 -P ${#others[@]} -I 1 -S $size -o "$files/md-workbench" --on-error continue
    expect_exit 1
    for ((number = 0; number < ${#others[@]}; number++)); do
        for item in "$mdtest_tree/file.mdtest.0.$number" "$files/md-workbench/0_0/file-$number"; do
            cmp -s "${others[number]}" "$item" || fail "${others[number]##*/} is lost as $item ($size bytes)"
        done
    done
done
