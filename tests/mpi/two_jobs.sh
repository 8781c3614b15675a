#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mark beside the file says which run works there: a second one is refused while the first one is alive, whatever became of
# it; files of others are never taken for marks. Names may be as long as the file system allows, on several ranks as well.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
small=(-w -k -t 64k -b 64k -o "$files/f")

marks() { find "$files" -name '.weir-*'; }

expect_no_mark() { [[ -z $(marks) ]] || fail "a mark is left"; }

# A run that waits before it writes.
start_first() {
    capture "$WEIR" "${small[@]}"
    expect_exit 0
    "$WEIR" "${small[@]}" -i 2 -d 60 >"$work/first" 2>&1 &
    first=$!
    for ((i = 0; i < 200; i++)); do
        [[ -z $(marks) ]] || return 0
        kill -0 $first 2>/dev/null || fail "the first run ended: $(cat "$work/first")"
        sleep 0.05
    done
    fail "the first run does not begin"
}

end_first() { # end_first SIGNAL
    kill -"$1" $first
    wait $first || true
}

start_first
cp "$files/f" "$work/before"
for ranks in 1 2; do
    run $ranks -w -t 64k -b 64k -o "$files/f"
    expect_exit 2
    expect_error "$files/f.* process $first,"
done
cmp "$files/f" "$work/before" || fail "the second run wrote into the file"
run 1 -r -k -t 64k -b 64k -o "$files/f"
expect_exit 0
run 1 -w -k -t 64k -b 64k -o "$files/g"
expect_exit 0
end_first TERM
expect_no_mark

# What is left of a run that was killed is no run.
start_first
end_first KILL
[[ $(marks) ]] || fail "there was no mark"
run 1 "${small[@]}"
expect_exit 0
expect_no_mark

# Of another host nobody knows: it is told, and goes on.
start_first
mark=$(marks)
end_first TERM
printf 'weir-mark 1\nhost elsewhere\npid 1\nstart 1\nuser me\nsince 2020-01-01T00:00:00Z\njob 77\n' >"$mark"
run 2 "${small[@]}"
expect_exit 0
expect_error 'elsewhere.*job 77'
expect_no_mark

# What others have under that name stays; so does what the name of a mark was once.
echo precious >"$mark"
echo precious >"$files/f.weir-beacon"
for ranks in 1 2; do
    run $ranks "${small[@]}"
    expect_exit 0
    [[ $(cat "$mark" "$files/f.weir-beacon") == $'precious\nprecious' ]] || fail "a foreign file was touched"
done
rm "$mark"
ln -s "$files/f.weir-beacon" "$mark"
run 2 "${small[@]}"
expect_exit 0
[[ -L $mark && $(cat "$files/f.weir-beacon") == precious ]] || fail "a foreign link was touched"
rm "$mark"

# The longest names: with a number behind them for files of their own.
long=$(printf 'x%.0s' {1..255})
run 2 -w -r -t 64k -b 64k -o "$files/$long"
expect_exit 0
run 2 -w -r -F -t 64k -b 64k -o "$files/${long:9}"
expect_exit 0
expect_no_mark
