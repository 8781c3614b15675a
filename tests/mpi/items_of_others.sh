#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What others have put into the place of an item is neither written nor removed by the run that finds it there: a second
# name of a file, a symbolic link, a file with other data, a FIFO, a directory. Over its own items a run writes.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
tree=$files/tree
top=$tree/test-dir.0-0/mdtest_tree.0
victim=$work/victim
echo precious >"$victim"

put() { # put KIND PATH
    mkdir -p "$(dirname "$2")"
    case $1 in
    hard) ln "$victim" "$2" ;;
    link) ln -s "$victim" "$2" ;;
    data) cp "$victim" "$2" ;;
    fifo) mkfifo "$2" ;;
    directory) mkdir "$2" ;;
    esac
}

left_alone() { # left_alone KIND PATH
    [[ $(cat "$victim") == precious ]] || fail "a file is written through $2 ($1)"
    case $1 in
    hard) [[ $2 -ef $victim ]] ;;
    link) [[ -L $2 ]] ;;
    data) [[ $(cat "$2") == precious ]] ;;
    fifo) [[ -p $2 ]] ;;
    directory) [[ -d $2 ]] ;;
    esac || fail "what was in the place of $2 ($1) is gone"
}

# In the words of the sentence.
declare -A why=([hard]='one of several names' [link]='a symbolic link' [data]='holds no data of a benchmark' [fifo]='no regular file' [directory]='a directory')

check() { # check KIND ITEM WORDS...: of one rank
    rm -rf "$tree"
    put "$1" "$2"
    capture timeout 60 "$WEIR" "${@:3}"
    expect_exit 1
    expect_error "create $2: it .*${why[$1]}"
    left_alone "$1" "$2"
}

backends=(posix mmap stdio)
! can_bypass_cache || backends+=(direct)
"$WEIR" backends | grep -q '^libaio' && backends+=('libaio --depth 4')
if "$WEIR" backends | grep -q '^uring' && "$WEIR" -a URING -w -t 64k -b 64k -o "$files/probe" >/dev/null 2>&1; then
    backends+=('uring --depth 4')
fi
for backend in "${backends[@]}"; do
    for kind in hard data link fifo directory; do
        # shellcheck disable=SC2086
        check $kind "$top/file.mdtest.0.3" mdtest -a $backend -F -n 20 -w 4096 -d "$tree"
    done
    # shellcheck disable=SC2086
    check hard "$tree/0_0/file-3" md-workbench -a $backend -S 4096 -D 1 -P 20 -I 10 -o "$tree"
done
# What a cycle makes is behind the working set.
for kind in hard data; do
    check $kind "$tree/0_0/file-25" md-workbench -D 1 -P 20 -I 10 -o "$tree"
done
# No data are written, and yet the file would be removed at the end.
check data "$top/file.mdtest.0.3" mdtest -F -n 20 -d "$tree"

# Another rank removes what this one would have made; and errors do not end the run.
for words in '-N 1' '-u' '-S' '-c' '--on-error continue'; do
    rm -rf "$tree"
    # shellcheck disable=SC2086
    run 2 mdtest -C -n 4 -F $words -w 100 -d "$tree" # where the items are
    item=$(find "$tree" -name 'file.mdtest.*[01].2')
    [[ $item ]] || item=$(find "$tree" -name 'file.mdtest.*2')
    item=${item%%$'\n'*}
    rm -r "$tree"
    put hard "$item"
    # shellcheck disable=SC2086
    run 2 mdtest -n 4 -F $words -w 100 -d "$tree"
    expect_exit 1
    expect_error "create $item: it is one of several names"
    left_alone hard "$item"
    [[ $(find "$tree" -type f) == "$item" ]] || fail "something of ours is left"
done

# A later run does not remove what an earlier one has refused to overwrite, though the mark lists its name; a run that only
# removes takes what is the benchmark's.
for backend in "${backends[@]}"; do
    kinds=(hard data)
    [[ $backend != posix ]] || kinds+=(link fifo directory)
    for kind in "${kinds[@]}"; do
        # shellcheck disable=SC2086
        make=(md-workbench -a $backend -S 4096 -D 1 -P 20 -o "$tree")
        rm -rf "$tree"
        put $kind "$tree/0_0/file-3"
        for _ in first second; do
            capture timeout 60 "$WEIR" "${make[@]}" -1
            expect_exit 1
            left_alone $kind "$tree/0_0/file-3"
        done
        for _ in first second; do
            capture timeout 60 "$WEIR" "${make[@]}" -3
            expect_exit 1
            expect_error "unlink $tree/0_0/file-3: it .*${why[$kind]}"
            left_alone $kind "$tree/0_0/file-3"
            [[ ! -e $tree/0_0/file-0 ]] || fail "an item of the earlier run is left"
        done
        rm -rf "$tree/0_0/file-3"
        capture timeout 60 "$WEIR" "${make[@]}" -3
        expect_done
    done
done
# More of them, of other ranks, and of places that the later run does not have.
rm -rf "$tree"
for ((i = 0; i < 40; i += 2)); do put data "$tree/1_0/file-$i"; done
run 2 md-workbench -D 1 -P 40 -o "$tree" -1
expect_exit 1
run 2 md-workbench -D 1 -P 10 -o "$tree" -1
expect_exit 1
for ((i = 0; i < 40; i += 2)); do left_alone data "$tree/1_0/file-$i"; done
run 2 md-workbench -D 1 -P 10 -o "$tree" -3 --overwrite
[[ ! -e $tree/1_0/file-8 ]] || fail "what the user allows is not removed"

# However many they are, the run removes everything else, whichever rank removes it.
for ranks in 1 3; do
    rm -rf "$tree"
    for ((i = 0; i < 140; i += 2)); do put data "$top/file.mdtest.$((ranks - 1)).$i"; done
    run $ranks mdtest -F -n 150 -N 1 -w 100 -d "$tree" --on-error continue
    expect_exit 1
    [[ $(find "$tree" -type f | wc -l) == 70 ]] || fail "$(find "$tree" -type f | wc -l) files are left, 70 are of others"
    for ((i = 0; i < 140; i += 2)); do left_alone data "$top/file.mdtest.$((ranks - 1)).$i"; done
done

# What the user allows is done.
rm -rf "$tree"
put data "$top/file.mdtest.0.3"
run 1 mdtest -F -n 20 -w 100 -d "$tree" --overwrite
expect_done

# Items of a run before, of whatever data and size, are written again.
for words in '-w 0' '-w 8' '-w 40' '-w 100' '-w 3901' '-w 70000' '--data none -w 100' '--data full -w 5000' '--data ior -w 3901'; do
    rm -rf "$tree"
    for _ in first second; do
        # shellcheck disable=SC2086
        run 2 mdtest -C -F -n 3 -z 1 -b 2 $words -d "$tree"
        expect_done
    done
done

# Mode and attributes are those of the item, not of what a link leads to.
for backend in "${backends[@]}"; do
    for verb in chmod setxattr; do
        rm -rf "$tree"
        chmod 600 "$victim"
        run 1 mdtest -C -F -n 20 -d "$tree"
        expect_done
        rm "$top/file.mdtest.0.3"
        put link "$top/file.mdtest.0.3"
        # shellcheck disable=SC2086
        run 1 mdtest -a $backend -T -F -n 20 -d "$tree" --also $verb
        expect_exit 1
        [[ $(stat -c %a "$victim") == 600 ]] || fail "the mode of another file is changed ($backend)"
        ! getfattr -n user.weir "$victim" >/dev/null 2>&1 || fail "another file has an attribute ($backend)"
    done
done
