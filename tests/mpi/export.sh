#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir export, weir report --format influx and openmetrics, and --redact: real runs, then what export.py does with their records.
. "$(dirname "$0")/lib.sh"

mkdir -p files/home/alicia/geheim.d/platte{1,2}
place=$files/home/alicia/geheim.d
run_to_end() { # run_to_end OPTION...
    run 2 "$@" --result qresult.jsonl
    [[ $status == 0 ]] || fail "a run fails"
}
for _ in 1 2; do
    run_to_end ior -w -r -F -e -t 64k -b 1m -i 2 -o "$place/data umsatz" --label nightly --set z=1 --set cluster=a
    run_to_end mdtest -n 20 -F -d "$place/tree"
    run_to_end md-workbench -P 4 -I 2 -D 1 -o files/home/alicia/relativ
    run_to_end net --provider tcp --sizes 4k,8k --iterations 200 --repetitions 2
done
run_to_end targets "$place/platte1" "$place/platte2" --size 1m --transfer 64k

"$WEIR_PYTHON" -B "$(dirname "$0")/export.py" "$WEIR" "$WEIR_ROOT" qresult.jsonl || fail "exports are wrong"
