#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What mdtest's options make, from its documentation and outputs alone: the paths after -C, and runs that are compared
with them. Nothing here is taken from the program.

mdtest_paths.py list RANKS OPTION...   the paths after -C, directories with a slash behind them
mdtest_paths.py sample FILE            compares with the paths of task 0 that mdtest prints at -V 4
mdtest_paths.py cases                  the command lines: a label, RANKS and OPTION...
mdtest_paths.py run DIRECTORY FIRST [STEP]  runs the cases FIRST, FIRST + STEP, ... with $WEIR in that directory
"""
import getopt
import os
import re
import shlex
import shutil
import subprocess
import sys

FLAGS = "CTErUDFkLPRScytuvXYZ"
VALUES = "abdBefGiIlnNpsVwWxz"


class Options:
    """The options of a command line that say what is made."""

    def __init__(self, words):
        pairs, rest = getopt.getopt(words, FLAGS + "".join(letter + ":" for letter in VALUES), ["shuffle"])
        assert not rest, rest
        self.flags = {key for key, value in pairs if value == ""}
        self.values = {key[1]: value for key, value in pairs if value != ""}

    def has(self, letter):
        return "-" + letter in self.flags

    def number(self, letter, default=0):
        return int(self.values.get(letter, default))

    def roots(self):
        return self.values["d"].split("@")


class Tree:
    """A tree of directories: how many there are, which hold items, and how many items each."""

    def __init__(self, options):
        depth, branching = options.number("z"), options.number("b", 1)
        self.branching = branching
        if depth == 0:
            self.directories = 1
        elif branching == 1:
            self.directories = depth + 1
        else:
            self.directories = (branching ** (depth + 1) - 1) // (branching - 1)
        leaves = branching ** depth
        self.holders = range(self.directories - leaves, self.directories) if options.has("L") else range(self.directories)
        items, per_directory = options.number("n"), options.number("I")
        self.loops = 1
        if per_directory == 0:
            self.per_directory = items // len(self.holders)
        else:
            self.per_directory = per_directory
            if items:
                self.loops = items // per_directory

    def path(self, node, owner):
        """Of a node, from the root of the tree on; `owner` is None in a tree of all."""
        name = f"mdtest_tree.{node}" if owner is None else f"mdtest_tree.{owner}.{node}"
        if node == 0:
            return name
        return self.path((node - 1) // self.branching, owner) + "/" + name


def item_names(options, owner, number):
    if options.has("S"):
        return [f"file.mdtest.shared.{number}"]
    names = []
    if not options.has("D"):
        names.append(f"file.mdtest.{owner}.{number}")
    if not options.has("F"):
        names.append(f"dir.mdtest.{owner}.{number}/")
    return names


def paths_of(ranks, options, owners=None):
    """Everything that is there after -C. `owners`: only what these tasks make."""
    tree = Tree(options)
    found = set()
    for root in options.roots():
        while root.strip("/"):
            found.add(root + "/")
            root = os.path.dirname(root)
    for iteration in range(options.number("i", 1)):
        for loop in range(tree.loops):
            for owner in owners or range(ranks):
                own = owner if options.has("u") else None
                root = options.roots()[owner % len(options.roots()) if own is not None else 0]
                top = f"{root}/test-dir.{iteration}-{loop}"
                found.add(top + "/")
                found.update(f"{top}/{tree.path(node, own)}/" for node in range(tree.directories))
                # With -u and -N, a task makes its items in the tree of another one.
                holder = (owner + options.number("N")) % ranks if own is not None else None
                for node in tree.holders:
                    for number in range(node * tree.per_directory, (node + 1) * tree.per_directory):
                        for name in item_names(options, owner, number):
                            found.add(f"{top}/{tree.path(node, holder)}/{name}")
    return found


# ---------------------------------------------------------------- samples

def compare_sample(path):
    """mdtest names what task 0 makes, and calls the -d that it ran with /scratch/md."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    command = shlex.split(next(line for line in lines if line.startswith("Command line used: ")).split(": ", 1)[1])
    words = [word for word in command[1:] if not word.startswith("-V=")]
    told = set()
    for line in lines:
        match = re.search(r"Making directory '(.*)'", line)
        if match:
            told.add(re.sub("/+", "/", match[1]))
        match = re.search(r"\((non-)?dirs create\): curr_item is '(.*)'", line)
        if match:
            told.add(re.sub("/+", "/", match[2]) + ("" if match[1] else "/"))
    ours = {name for name in paths_of(2, Options(words), owners=[0]) if "mdtest_tree" in name}
    count = re.search(r"(\d+) tasks, (\d+) files/directories", "\n".join(lines))
    tree = Tree(Options(words))
    assert int(count[2]) == int(count[1]) * tree.loops * len(tree.holders) * tree.per_directory, count[0]
    assert told and told == ours, f"only mdtest: {sorted(told - ours)}; only we: {sorted(ours - told)}"


# ---------------------------------------------------------------- command lines

CASES = [
    (2, "-n 8"),
    (3, "-n 8 -F"),
    (2, "-n 8 -D"),
    (4, "-n 3 -i 2"),
    (1, "-n 5"),
    (2, "-I 3 -z 2 -b 2"),
    (3, "-I 2 -z 1 -b 3 -F"),
    (2, "-I 2 -z 3 -b 1"),
    (2, "-I 1 -z 3 -b 3 -F"),
    (2, "-I 2 -z 2 -b 2 -L"),
    (3, "-I 4 -z 2 -b 3 -L -D"),
    (2, "-I 3 -z 4 -b 1 -L -F"),
    (2, "-n 14 -z 2 -b 2"),
    (2, "-n 20 -z 2 -b 2"),  # not divisible by 7: rounded down
    (2, "-n 11 -z 2 -b 2 -L"),  # nor by 4
    (2, "-n 6 -z 5 -b 1 -F"),
    (2, "-n 9 -z 2 -b 3 -L -F"),
    (2, "-n 6 -I 2"),
    (3, "-n 12 -I 4 -F"),
    (2, "-n 4 -I 2 -i 2 -D"),
    (2, "-n 6 -I 3 -z 1 -b 2"),
    (2, "-n 4 -I 2 -z 2 -b 2 -L"),
    (2, "-n 8 -u"),
    (3, "-n 6 -u -F"),
    (4, "-I 2 -z 1 -b 2 -u"),
    (2, "-I 2 -z 2 -b 2 -u -L -F"),
    (2, "-n 4 -u -D -i 3"),
    (2, "-n 8 -N 1"),
    (4, "-n 4 -F -N 2"),
    (3, "-n 5 -u -N 1"),
    (3, "-I 2 -z 2 -b 2 -u -L -F -N 1"),  # mdtest itself cannot
    (4, "-n 6 -z 1 -b 2 -u -D -N 3"),
    (2, "-n 8 -S"),
    (3, "-I 2 -z 2 -b 2 -S"),
    (4, "-n 6 -S -F -N 1"),
    (2, "-n 8 -c"),
    (3, "-I 2 -z 1 -b 3 -c -F"),
    (2, "-n 4 -u", "a@b"),
    (4, "-I 2 -z 1 -b 2 -u -F", "a@b"),
    (4, "-n 3 -u -D -i 2", "a@b@c"),
    (2, "-n 4 -F -w 3901 -e 3901 -X -G 27"),
    (2, "-n 4 -F -k"),
    (3, "-n 24 -F -R"),
    (2, "-I 5 -z 1 -b 2 -R -y -w 100"),
]


def words_of(case):
    return [*case[1].split(), "-d", case[2] if len(case) > 2 else "out"]


# ---------------------------------------------------------------- runs

def found_in(directory):
    found = set()
    for place, directories, files in os.walk(directory):
        place = os.path.relpath(place, directory)
        place = "" if place == "." else place + "/"
        found.update(place + name + "/" for name in directories)
        found.update(place + name for name in files)
    return found


class Failure(Exception):
    pass


def launch(case, directory, action):
    words = [word for word in words_of(case) if word != "-X" or action == "-E"]  # it is for those that read
    command = ["mpiexec", "-n", str(case[0]), os.environ["WEIR"], "mdtest", *words, action]
    done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          check=False)
    return " ".join(command), done


def expect(case, directory, action, code, paths):
    command, done = launch(case, directory, action)
    found = found_in(directory)
    if done.returncode != code or found != paths:
        raise Failure(f"{command}: exit code {done.returncode}; not there: {sorted(paths - found)[:8]}; "
                      f"too many: {sorted(found - paths)[:8]}\n{done.stdout}\n{done.stderr}")
    return done


def rates_of(text):
    return {match[1]: float(match[2]) for match in re.finditer(r"^   (\w+ \w+) +([0-9.]+) ", text, re.M)}


def run_case(case, directory):
    """Each phase is done by a process of its own, on what another one made."""
    options = Options(words_of(case))
    paths = paths_of(case[0], options)
    roots = {path for path in paths if "test-dir" not in path}
    has_files = not options.has("D")
    expect(case, directory, "-C", 0, paths)
    done = expect(case, directory, "-T", 0, paths)
    rates = rates_of(done.stdout)
    assert rates["File stat" if has_files else "Directory stat"] > 0, done.stdout
    assert rates["Tree creation"] == 0, done.stdout
    if has_files:
        done = expect(case, directory, "-E", 0, paths)
        assert rates_of(done.stdout)["File read"] > 0, done.stdout
    expect(case, directory, "-r", 0, roots)


def run_with_stranger(case, directory):
    """A file of another one, in the middle of the tree, stays there with the directories around it."""
    options = Options(words_of(case))
    paths = paths_of(case[0], options)
    roots = {path for path in paths if "test-dir" not in path}
    nodes = sorted(path for path in paths if re.search(r"mdtest_tree\.[0-9.]+/$", path))
    stranger = nodes[len(nodes) // 2] + "stranger"
    expect(case, directory, "-C", 0, paths)
    with open(os.path.join(directory, stranger), "w", encoding="utf-8") as file:
        file.write("mine\n")
    rest = {stranger}
    place = os.path.dirname(stranger)
    while place:
        rest.add(place + "/")
        place = os.path.dirname(place)
    done = expect(case, directory, "-r", 1, rest | roots)
    if f"{os.path.dirname(stranger)}: it still holds stranger," not in done.stderr:
        raise Failure(f"{stranger} is not named:\n{done.stdout}\n{done.stderr}")
    with open(os.path.join(directory, stranger), encoding="utf-8") as file:
        assert file.read() == "mine\n"
    os.remove(os.path.join(directory, stranger))
    expect(case, directory, "-r", 0, roots)


def run(directory, first, step):
    failures = []
    jobs = [(run_case, case) for case in CASES] + [(run_with_stranger, CASES[i]) for i in (5, 25, 17)]
    for number in range(first, len(jobs), step):
        function, case = jobs[number]
        place = os.path.join(directory, str(number))
        os.mkdir(place)
        try:
            function(case, place)
        except (Failure, AssertionError, KeyError, subprocess.TimeoutExpired) as failure:
            failures.append(f"{function.__name__}, {case}: {failure}")
        shutil.rmtree(place)
    print("\n\n".join(failures[:3]))
    print(f"{len(range(first, len(jobs), step))} runs, {len(failures)} failures")
    return 1 if failures else 0


def main(words):
    if words[0] == "list":
        print("\n".join(sorted(paths_of(int(words[1]), Options(words[2:])))))
    elif words[0] == "sample":
        compare_sample(words[1])
    elif words[0] == "cases":
        for case in CASES:
            print(case[0], *words_of(case))
    else:
        return run(words[1], int(words[2]), int(words[3]) if len(words) > 3 else 1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
