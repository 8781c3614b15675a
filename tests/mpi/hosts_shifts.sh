#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ranks on two and three virtual hosts, evenly and not, in blocks, dealt and mixed: -C and -Z lead them to other nodes
# wherever that is possible, what they read is right, and what is not possible is told.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=hosts_lib.sh
. "$(dirname "$0")/hosts_lib.sh"

enter_hosts 3 hosts_shifts.sh "$@"
watch_places

# ---------------------------------------------------------------- what is run

tests=('shared C 1' 'own C 1' 'shared C 2' 'own C 3' 'shared Z 1' 'own Z 2' 'own ZZ 1')

write_job() { # write_job DIRECTIVE...
    local test sharing kind distance separator=
    printf '%s\n' "${tests[@]}" >"$work/tests"
    {
        printf '%s\n' 'IOR START' 'transferSize=16k' 'blockSize=64k' 'setTimeStampSignature=7' 'checkRead=1' \
            'keepFile=1' 'reorderTasksRandomSeed=3' "$@"
        for test in "${tests[@]}"; do
            read -r sharing kind distance <<<"$test"
            [[ ! $separator ]] || echo "$separator"
            separator=RUN
            printf '%s\n' "testFile=$files/$sharing" "filePerProc=$([[ $sharing == shared ]] && echo 0 || echo 1)" \
                "reorderTasksConstant=$([[ $kind == C ]] && echo 1 || echo 0)" \
                "reorderTasksRandom=$([[ $kind == C ]] && echo 0 || echo ${#kind})" "taskPerNodeOffset=$distance"
        done
        echo 'IOR STOP'
    } >"$work/job.ior"
}

# Ranks one by one, each on the host that is wanted.
launch_in_order() { # launch_in_order PLACEMENT OPTION...
    local placement=$1 rank context=()
    shift
    for ((rank = 0; rank < ${#placement}; rank++)); do
        ((rank == 0)) || context+=(:)
        context+=(-n 1 --host "n$((${placement:rank:1} + 1))" "${passed_on[@]}" --wdir "$work" "$work/placed" "$@")
    done
    capture mpiexec "${context[@]}"
}

launch() { # launch PLACEMENT MAPPING HOSTS OPTION...
    local placement=$1 mapping=$2 list=$3
    shift 3
    rm -f "$result"
    forget_places
    if [[ $mapping == order ]]; then
        launch_in_order "$placement" "$@" --result "$result"
    else
        capture mpiexec -n "${#placement}" --host "$list" --map-by "$mapping" "${passed_on[@]}" --wdir "$work" \
            "$work/placed" "$@" --result "$result"
    fi
    expect_places "$placement"
}

flip_a_bit_of_each_part() { # flip_a_bit_of_each_part RANKS
    python3 - "$files" "$1" <<'END'
import sys

def flip(path, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x10]))

for rank in range(int(sys.argv[2])):
    flip(f"{sys.argv[1]}/shared", rank * 65536 + 20000)
    flip(f"{sys.argv[1]}/own.{rank:08}", 20000)
END
}

expect_shifts() { # expect_shifts clean|damaged PLACEMENT
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/hosts_shifts.py" "$1" "$2" "$work/tests" "$result" >"$work/.oracle" 2>&1 ||
        fail "$1, ranks on $2: $(cat "$work/.oracle")"
}

count_of() { # count_of DIGIT PLACEMENT
    local others=${2//$1/}
    echo $((${#2} - ${#others}))
}

try() { # try PLACEMENT MAPPING [HOSTS]
    local nodes
    nodes=$(fold -w 1 <<<"$1" | sort -u | wc -l)

    write_job writeFile=1 checkWrite=1 readFile=1
    launch "$1" "$2" "${3-}" -f "$work/job.ior"
    expect_done
    expect_shifts clean "$1"
    expect_line "^nodes +: $nodes\$"
    expect_line "^tasks +: ${#1}\$"
    expect_line "^clients per node +: $(count_of 0 "$1")\$"

    # Each part gives away who reads it.
    flip_a_bit_of_each_part "${#1}"
    write_job readFile=1
    launch "$1" "$2" "${3-}" -f "$work/job.ior"
    expect_exit 1
    expect_shifts damaged "$1"
    rm -f "$files"/*
}

# ---------------------------------------------------------------- placements

try 0011 slot n1:2,n2:2
try 0101 node n1:2,n2:2
try 0111 slot n1:1,n2:3
try 0001 slot n1:3,n2:1
try 0100 node n1:3,n2:1
try 0110 order
try 001122 slot n1:2,n2:2,n3:2
try 012012 node n1:2,n2:2,n3:2
try 011122 slot n1:1,n2:3,n3:2
try 0122 slot n1:1,n2:1,n3:2
try 0120120 node n1:3,n2:2,n3:2
try 012101 order
try 000 slot n1:3
