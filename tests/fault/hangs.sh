#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whichever call to the target's file system hangs, before, between and after phases as well: --watchdog names it, and --give-up
# ends the run.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
refuse=${1:?the library with hanging calls}

# A preloaded library must come after that of the sanitizer, and slows its threads down.
[[ ! ${ASAN_OPTIONS-} ]] || skip "the sanitizer checks that its library is the first: this takes a build without it"

hang() { # hang NAME CALL NUMBER OPTION...: that call of the run hangs; in a directory of its own, so that several run at once
    local name=$1 call=$2 number=$3 code=0 base
    shift 3
    base=$work/$name.$call.$number
    mkdir -p "$base/files"
    # -w -r of files, or a tree: DIR is the directory.
    env LD_PRELOAD="$refuse" HANG_CALL="$call" HANG_AT="$number" HANG_PREFIX="$base/files" HANG_LOG="$base/hung" \
        timeout -s KILL 120 "$WEIR" "${@//DIR/$base/files}" --watchdog 1s --give-up 2s \
        >"$base/out" 2>"$base/err" </dev/null || code=$?
    echo "$code" >"$base/code"
}

told() { # told NAME CALL NUMBER: it gave up, and said which call; false if the run has fewer such calls
    local base=$work/$1.$2.$3 code
    out=$base/out err=$base/err
    code=$(<"$base/code")
    command_line="$1, call $3 of $2: $(cat "$base/hung" 2>/dev/null || true)"
    status=$code
    [[ -e $base/hung ]] || return 1
    ((code == 1)) || fail "the run did not give up"
    grep -qE "rank 0 on host .* has not moved for .* s: .*$base/files" "$err" || fail "nothing says what hangs"
    grep -qE 'rank 0 on host .*--give-up|--give-up: rank 0 on host' "$err" || fail "nothing says that the run is given up"
}

all_calls() { # all_calls NAME CALL MOST OPTION...: each of them hangs once
    local name=$1 call=$2 most=$3 number
    shift 3
    for ((number = 1; number <= most; number++)); do
        hang "$name" "$call" "$number" "$@" &
        ((number % 8 != 0)) || wait
    done
    wait
    for ((number = 1; number <= most; number++)); do
        told "$name" "$call" "$number" || break
        rm -rf "$work/$name.$call.$number"
    done
    ((number > 1)) || fail "no call of $call was made"
    echo "$name: $((number - 1)) calls of $call"
}

data=(-w -r -F -t 64k -b 128k -e -o DIR/f)
all_calls ior stat 24 "${data[@]}"
all_calls ior statvfs 4 "${data[@]}"
all_calls ior open 12 "${data[@]}"
all_calls ior close 12 "${data[@]}"
all_calls ior unlink 4 "${data[@]}"
all_calls own mkdir 2 -w -F -u -t 64k -b 64k -o DIR/f
all_calls own rmdir 2 -w -F -u -t 64k -b 64k -o DIR/f
tree=(mdtest -F -n 3 -d DIR)
all_calls tree stat 8 "${tree[@]}"
all_calls tree mkdir 4 "${tree[@]}"
all_calls tree rmdir 4 "${tree[@]}"
