#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# configure.sh ROOT CMAKE: what a packager tells CMake is used or refused, never ignored; nothing is compiled.
set -euo pipefail

readonly root=$1 cmake=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/weir-configure.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

fail() { # fail REASON
    echo "failed: $name: $*"
    tail -n 30 "$work/$name.log"
    failed=1
}

configure() { # configure NAME OPTION...: $status, and the messages in lines without breaks
    name=$1
    shift
    status=0
    "$cmake" -S "$root" -B "$work/$name" -DBUILD_TESTING=OFF "$@" >"$work/$name.log" 2>&1 </dev/null || status=$?
    tr -s ' \n' ' ' <"$work/$name.log" >"$work/$name.said"
}

# Words of the command that compiles a file, those of its own folder left out.
expect_flags() { # expect_flags PATTERN FILE
    local command
    command=$(grep -E "\"command\": .* -c [^ ]*/$2\"" "$work/$name/compile_commands.json") || command=
    grep -qE -- "$1" <<<"$command" || fail "the command of $2 does not match $1: $command"
}

expect_said() { # expect_said STATUS TEXT
    ((status == $1)) || fail "cmake ends with $status"
    grep -qF -- "$2" "$work/$name.said" || fail "cmake does not say: $2"
}

expect_in() { # expect_in FILE TEXT
    grep -qF -- "$2" "$work/$name/$1" || fail "$1 has no: $2"
}

# A module of pkg-config that is older than what the system may have.
mkdir "$work/old"
printf 'Name: liburing\nDescription: old\nVersion: 2.1\n' >"$work/old/liburing.pc"

configure flags -DCMAKE_C_FLAGS_RELEASE="-O3 -mtune=generic" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF -DWEIR_WITH_URING=OFF \
    -DWEIR_WITH_LIBAIO=no -DWEIR_WITH_VERBS=OFF -DWEIR_WITH_SQLITE=OFF -DWEIR_WITH_LUSTRE=OFF -DWEIR_WITH_GPFS=OFF -DWEIR_WITH_BEEGFS=OFF
expect_said 0 "backend uring: left out, weir was built with WEIR_WITH_URING=OFF"
expect_flags ' -O3 -mtune=generic ([^ ]* )*-std=' poll.c
! grep -qE -- '-flto|"[^"]* -O2 ' "$work/flags/compile_commands.json" || fail "flags of our own are used, too"
expect_in backends/registry.c '"uring: weir was built with WEIR_WITH_URING=OFF"'
expect_in backends/registry.c '"libaio: weir was built with WEIR_WITH_LIBAIO=OFF"'
expect_in src/network/fabric/providers.c '"verbs: weir was built with WEIR_WITH_VERBS=OFF"'
expect_in include/weir/base/version.h 'left out, weir was built with WEIR_WITH_SQLITE=OFF'
expect_in compile_commands.json src/report/export/no_sqlite.c
expect_in include/weir/backends/striping_refusals.h 'not built: weir was built with WEIR_WITH_LUSTRE=OFF, or '

# RelWithDebInfo has -DNDEBUG; what an optional library lacks is said as it is.
PKG_CONFIG_PATH=$work/old configure debug_info -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
expect_said 0 "backend uring: left out, only liburing 2.1, older than 2.3, was found when weir was built"
expect_flags '-DNDEBUG .*-UNDEBUG' poll.c
expect_flags '-flto' poll.c
expect_in include/weir/base/version.h -DNDEBUG
expect_in include/weir/base/version.h -UNDEBUG
configure no_assertions -DCMAKE_BUILD_TYPE=MinSizeRel -DWEIR_ASSERTS=OFF
expect_flags '-DNDEBUG' poll.c
! grep -q -- -UNDEBUG "$work/no_assertions/compile_commands.json" || fail "assertions are kept"

# Without options: our own flags.
configure plain
expect_flags ' -O2 -g .*-flto' poll.c
expect_flags ' -std=(gnu|c)1[17]' poll.c

PKG_CONFIG_PATH=$work/old configure wanted -DWEIR_WITH_URING=ON
expect_said 1 "WEIR_WITH_URING is ON, but only liburing 2.1, older than 2.3, was found"
configure typo -DWEIR_WITH_LIBAIO=maybe
expect_said 1 'WEIR_WITH_LIBAIO is AUTO, ON or OFF, not "maybe"'

# All that is missing is named at once.
mkdir "$work/none"
PKG_CONFIG_LIBDIR=$work/none configure libraries
expect_said 1 "Weir cannot be built: jansson was not found; blkid was not found; hwloc was not found; libcrypto was not found."
expect_said 1 "scripts/deps build installs what it needs"

# CPUs for which it cannot be built.
echo 'set(CMAKE_SIZEOF_VOID_P 4)' >"$work/32.cmake"
configure bits32 -DCMAKE_PROJECT_weir_INCLUDE="$work/32.cmake"
expect_said 1 "Weir needs a 64-bit CPU, and this compiler builds for one of 32 bits"
echo 'set(CMAKE_C_BYTE_ORDER BIG_ENDIAN)' >"$work/big.cmake"
configure big_endian -DCMAKE_PROJECT_weir_INCLUDE="$work/big.cmake"
expect_said 1 "Weir needs a little-endian CPU"
exit "$failed"
