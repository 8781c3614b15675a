# SPDX-License-Identifier: Apache-2.0
"""mdtest_paths.py WEIR: runs command lines of mdtest that only create, in the directory at hand, and compares the paths that they
make with those of mdtest's formulas, which are written down here once more and know nothing of ours. Then a run that stats,
reads and removes must find all of them and leave none."""
import os
import shutil
import subprocess
import sys

CASES = """
-n 3|-n 3 -F|-n 3 -D|-n 1|-n 3 -i 2|-n 1k -F|-I 2|-I 2 -F -z 1 -b 2|-n 7 -z 2 -b 2|-n 15 -z 2 -b 2 -F
-n 15 -z 2 -b 2 -F -L|-n 9 -z 2 -b 3 -L -D|-n 4 -z 3 -b 1|-n 4 -z 3 -F -L|-I 3 -z 2 -b 2 -L|-n 4 -I 2|-n 6 -I 2 -z 1 -b 2 -F
-n 6 -I 3 -z 1 -b 2 -L|-n 3 -u|-n 3 -u -F|-n 7 -u -z 2 -b 2|-n 8 -u -z 2 -b 2 -L -F|-I 2 -u -z 1 -b 3|-n 3 -u -i 2 -D
-n 3 -S|-n 7 -S -z 1 -b 2|-n 4 -I 2 -S|-n 8 -S -z 3 -L|-n 3 -c|-n 7 -c -z 1 -b 2|-n 3 -c -u|-n 9 -c -u -z 1 -b 2 -L -F
-n 3 -N 1|-n 3 -N 1 -u|-n 7 -N 1 -u -z 2 -b 2|-n 8 -N 2 -u -z 2 -b 2 -L -F|-n 3 -k -F|-n 3 -F -w 100|-n 3 -u -d one@two
-n 7 -u -z 1 -b 2 -d one@two@three|-z 2 -b 2|-n 3 -F --compat 3.2|-n 8 -u -F -a uring --depth 4|-n 3 -F --shuffle
"""
RANKS = 3


def options_of(words):
    """Letters and names, with their values or True."""
    found, words = {}, words.split()
    for word, after in zip(words, words[1:] + ["-"]):
        if word.startswith("-"):
            found[word.lstrip("-")] = True if after.startswith("-") else after
    return found


def number(text):
    return int(text[:-1]) * 1024 if text.endswith("k") else int(text)


def directories(depth, branching):
    """The path of each directory below the top, and its level."""
    def path(k):
        return (path((k - 1) // branching) if k > 0 else []) + [k]
    count = sum(branching ** level for level in range(depth + 1))
    return [(k, path(k)) for k in range(count)]


def expected(options):
    value = {name: number(options.get(name, "0")) for name in "nIzN"}
    branching, depth, per = number(options.get("b", "1")), value["z"], value["I"]
    nodes = directories(depth, branching)
    holders = [node for node in nodes if "L" not in options or len(node[1]) == depth + 1]
    sets = value["n"] // per if per and value["n"] else 1
    per = per or value["n"] // len(holders)
    kinds = [kind for kind, other in (("file", "D"), ("dir", "F")) if other not in options and not (kind == "dir" and "S" in options)]
    roots = options.get("d", "out").split("@")
    top = "#test-dir" if options.get("compat") == "3.2" else "test-dir"
    paths = set()
    for iteration in range(number(options.get("i", "1"))):
        for number_of_set in range(sets):
            for rank in range(RANKS):
                tree = rank if "u" in options else None

                def place(path, of):
                    names = ["mdtest_tree." + (f"{of}." if of is not None else "") + str(k) for k in path]
                    return "/".join([roots[(of or 0) % len(roots)], f"{top}.{iteration}-{number_of_set}"] + names)
                paths.update(place(path, tree) for _, path in nodes)
                lies_in = (rank + value["N"]) % RANKS if tree is not None else None
                owner = "shared" if "S" in options else rank
                paths.update(f"{place(path, lies_in)}/{kind}.mdtest.{owner}.{item}" for kind in kinds
                             for k, path in holders for item in range(k * per, (k + 1) * per))
    return paths


def found(roots):
    paths = set()
    for root in roots:
        for folder, _, files in os.walk(root):
            if "mdtest_tree" in folder:
                paths.add(folder)
            paths.update(f"{folder}/{name}" for name in files)
    return paths


def run(weir, words):
    done = subprocess.run(["mpiexec", "-n", str(RANKS), weir, "mdtest", *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=60)
    return "" if done.returncode == 0 else f"exit code {done.returncode}\n{done.stdout}{done.stderr}"


def complaint(weir, case):
    words = case.split()
    options = options_of(case)
    roots = options.get("d", "out").split("@")
    told = run(weir, [*words, "-C"] + ([] if "d" in options else ["-d", "out"]))
    if told:
        return told
    made, wanted = found(roots), expected(options)
    if made != wanted:
        return f"not there: {sorted(wanted - made)[:5]}, not expected: {sorted(made - wanted)[:5]}"
    told = run(weir, [word for word in words if word != "-k"] + ["-T", "-E", "-r"] + ([] if "d" in options else ["-d", "out"]))
    if told:
        return told
    left = [name for root in roots for name in os.listdir(root)]
    return f"left: {left}" if left else ""


def main():
    cases = [case for line in CASES.strip().splitlines() for case in line.split("|")]
    failed = 0
    for case in cases:
        told = complaint(sys.argv[1], case)
        if told:
            failed += 1
            print(f"{case}: {told}")
        for root in {"out", "one", "two", "three"}:
            shutil.rmtree(root, ignore_errors=True)
    print(f"{len(cases)} command lines, {failed} failed")
    sys.exit(1 if failed else 0)


main()
