# SPDX-License-Identifier: Apache-2.0
"""valid.py json|csv|csv-long|rank-csv|op-csv|records FILE [EXPRESSION]: whether a file is valid to the letter, and an expression holds for
it.

JSON: UTF-8, one document, no key twice in an object, no number that JSON has no word for. CSV: the columns of its kind,
as many fields in each row, finite numbers. The expression sees `document`, or `rows` as dictionaries, or of
a result file the records of its `phases`."""
import csv
import json
import math
import sys

COLUMNS = {
    "csv": "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter,believed,findings",
    "csv-long": "run_id,label,tags,begun,case_id,dialect,test,phase,repetition,loops,step,name,verb,part,target,backend,path,layout,pattern,"
                "transfer_bytes,block_bytes,segments,items,depth,ranks,nodes,filesystem,storage,mount_options,transport,outcome,believed,"
                "measured,plan_id,hosts,kernel,job,weir,findings,figure,value,unit,better,n",
    "rank-csv": "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput,believed,findings",
    "op-csv": "time,runtime,tp",
}


def without_doubles(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"keys twice: {keys}"
    return dict(pairs)


def no_such_number(word):
    raise ValueError(f"{word} is no number of JSON")


def read_json(text):
    return {"document": json.loads(text, object_pairs_hook=without_doubles, parse_constant=no_such_number)}


def read_csv(text, columns):
    lines = list(csv.reader(text.splitlines(keepends=True), strict=True))
    assert ",".join(lines[0]) == columns, lines[0]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    if "figure" in lines[0]:
        assert all(math.isfinite(float(row["value"])) and int(row["n"]) > 0 for row in rows), rows
        return {"rows": rows}
    for row in rows:
        assert row.get("access", "read").split()[0] in ("write", "read", "mixed"), row
        assert all(math.isfinite(float(cell)) for name, cell in row.items() if name not in ("access", "believed", "findings")), row
    return {"rows": rows}


def main():
    kind, path = sys.argv[1:3]
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    if kind == "records":
        names = {"phases": [record for record in map(json.loads, text.splitlines()) if record["record"] == "phase"]}
    else:
        names = read_json(text) if kind == "json" else read_csv(text, COLUMNS[kind])
    if len(sys.argv) > 3 and not eval(sys.argv[3], names):
        sys.exit(f"not true: {sys.argv[3]}\n{text[:20000]}")


main()
