#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rules_can_fail.sh COMPILER PYTHON: breaks each rule in a small tree and sees that the rule says where.
set -eu
compiler=$1 python=$2
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/weir-tidy.XXXXXX")
trap 'rm -rf "$tree"' EXIT

fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/src/base" "$tree/src/front" "$tree/src/group" "$tree/include/weir/io" "$tree/backends" \
        "$tree/tests" "$tree/scripts" "$tree/src/audit" "$tree/docs"
    touch "$tree/src/base/CMakeLists.txt" "$tree/src/front/CMakeLists.txt" "$tree/src/group/CMakeLists.txt" \
        "$tree/backends/CMakeLists.txt" "$tree/src/audit/CMakeLists.txt"
    printf '#include "weir/base/text.h"\n#include <stdio.h>\n' >"$tree/src/front/front.c"
    printf 'int weir_fine(void);\n' >"$tree/include/weir/io/queue.h"
    printf '#include <mpi.h>\n/* sprintf( */\n' >"$tree/src/group/group_mpi.c"
    printf 'weir_result_find(record, WEIR_NOTE,\n    "late", "by %%u");\n' >"$tree/src/audit/doubt.c"
    printf '| `late` | note | void | it came late |\n' >"$tree/docs/findings.md"
    echo 'See [the findings](docs/findings.md).' >"$tree/README.md"
    printf '    [WEIR_FINDING_LATE] =\n        {\n            .name = "late",\n            .severity = WEIR_NOTE,\n            .effect = WEIR_VOID,\n        },\n' >"$tree/src/base/finding.c"
}

rule() { # rule NAME: runs it, prints what it says, returns its status
    case $1 in
    headers) sh "$here/headers.sh" "$compiler" "$tree/include" "$tree/include" 2>&1 ;;
    *) "$python" -B "$here/$1.py" "$tree" 2>&1 ;;
    esac
}

expect_clean() { # expect_clean NAME
    said=$(rule "$1") || { echo "$1 finds fault with a clean tree: $said"; exit 1; }
}

expect_finding() { # expect_finding NAME PATTERN
    if said=$(rule "$1"); then
        echo "$1 missed: $2"
        exit 1
    fi
    echo "$said" | grep -q -- "$2" || { echo "$1 does not say '$2' but: $said"; exit 1; }
    fresh_tree
}

long_function() { # long_function LINES
    echo 'static int'
    echo 'stretch(int i)'
    echo '{'
    seq 1 $(($1 - 4)) | sed 's/.*/    i++;/'
    echo '}'
}

fresh_tree
for name in layers functions banned dialects findings pages headers; do expect_clean $name; done

echo '#include "weir/io/queue.h"' >>"$tree/src/front/front.c"
expect_finding layers '^src/front/front.c:3: front must not know of io'
echo '#include "weir/engine/engine.h"' >"$tree/include/weir/io/queue.h"
expect_finding layers '^include/weir/io/queue.h:1: io must not know of engine'
echo '#include <mpi.h>' >"$tree/src/base/text.c"
expect_finding layers '^src/base/text.c:1: mpi.h is kept to'
echo '#include "front/ior_options.h"' >"$tree/backends/null.c"
expect_finding layers '^backends/null.c:1: .* private to another room'
echo '#include "weir/base/text.h"' >"$tree/backends/null.c"
expect_clean layers
fresh_tree
mkdir "$tree/src/attic"
touch "$tree/src/attic/CMakeLists.txt"
echo '#include "weir/base/text.h"' >"$tree/src/attic/text.c"
expect_finding layers 'the room attic is not in the table'

{ long_function 120; seq 99 | while read -r _; do echo; long_function 80; done; } >"$tree/tests/text.c"
expect_clean functions
{ long_function 120; seq 98 | while read -r _; do echo; long_function 80; done; } >"$tree/tests/text.c"
expect_finding functions '^tests/text.c:1: stretch has 120 lines, and 1 of 99 functions'
{ echo; long_function 121; } >"$tree/src/base/text.c"
expect_finding functions '^src/base/text.c:2: stretch has 121 lines; 120 at most'
seq 1 1501 | sed 's,.*,/* & */,' >"$tree/src/base/text.c"
expect_finding functions 'a file of 1501 lines'

printf 'int x;\nint f(void) { return atoi ("1"); }\n' >"$tree/src/base/text.c"
expect_finding banned '^src/base/text.c:2: atoi is not to be called'
printf '/* TODO: later */\n' >"$tree/src/base/text.c"
expect_finding banned '^src/base/text.c:1: TODO'
printf '/* Nobody waits. */\n' >"$tree/src/base/text.c"
expect_finding banned '^src/base/text.c:1: Nobody'

echo 'const char *way_out = "use -C on several nodes";' >"$tree/src/audit/doubt.c"
expect_finding dialects '^src/audit/doubt.c:1: -C is an option of a dialect'
echo 'const char *way_out = "use minTimeDuration";' >"$tree/src/audit/doubt.c"
expect_finding dialects '^src/audit/doubt.c:1: minTimeDuration is a variable of a dialect'
printf 'int x;\nfail("--random-offset-seed");\n' >"$tree/src/audit/doubt.c"
expect_finding dialects '^src/audit/doubt.c:2: --random-offset-seed is no option that every dialect has'
echo 'enum weir_ior_pattern p;' >"$tree/src/audit/doubt.c"
expect_finding dialects '^src/audit/doubt.c:1: ior is a dialect'
echo 'fail("use --depth 8, --uring.entries 8, mpiexec -n 2, or %-8s"); /* not IOR -C */' >"$tree/src/audit/other.c"
expect_clean dialects
fresh_tree

echo 'size_t weir_needs_stddef(void);' >"$tree/include/weir/io/queue.h"
expect_finding headers 'weir/io/queue.h does not compile alone'

: >"$tree/docs/findings.md"
expect_finding findings '^src/base/finding.c:1: docs/findings.md has no row for the finding late'
printf '| `late` | note | void | it came late |\n| `early` | note | void | it came early |\n' >"$tree/docs/findings.md"
expect_finding findings '^docs/findings.md:2: no finding has the name early'
printf '| `late` | warning | void | it came late |\n' >"$tree/docs/findings.md"
expect_finding findings '^docs/findings.md:1: late is a note with the effect void'
printf '    weir  warning late read: by 3 s -> wait\n    weir  note late read 2 times: by 3 s\n' >"$tree/docs/report.md"
expect_finding findings '^docs/report.md:1: no warning has the name late'

touch "$tree/docs/new.md"
expect_finding pages '^docs/new.md:1: README.md does not link to this page'
echo 'See [another page](old.md).' >>"$tree/docs/findings.md"
expect_finding pages '^docs/findings.md:2: there is no file old.md'
printf '## A `place`\n[here](#a-place) [there](findings.md#another-place)\n' >"$tree/docs/findings.md"
expect_finding pages '^docs/findings.md:2: findings.md has no heading #another-place'

# The tables of the result file are read as they are: a key without its word on the page is found.
mkdir -p "$tree/src/report/record"
cp "$here"/../../src/report/record/*.c "$tree/src/report/record/"
sed 's/`existing_files`/`files`/' "$here/../../docs/result-file.md" >"$tree/docs/result-file.md"
expect_finding result_keys '^docs/result-file.md does not name the key existing_files'
