# SPDX-License-Identifier: Apache-2.0
"""Below front and report no dialect is known: no name of one, no letter of an option, no option but Weir's own and those of
backends (include/weir/base/remedy.h says how a sentence names what helps)."""
import re

import sources

ROOMS = ("src/plan", "src/engine", "src/audit", "src/measure", "src/payload", "src/io", "src/group", "src/system",
         "src/base", "src/commands", "src/surroundings", "backends", "include/weir/plan", "include/weir/engine",
         "include/weir/audit", "include/weir/measure", "include/weir/payload", "include/weir/io", "include/weir/group",
         "include/weir/system", "include/weir/base", "include/weir/commands",
         "include/weir/surroundings")
# The room doctor repeats commands of other programs, whose letters no rule can tell from those of a dialect.
DIALECTS = "ior|mdtest|md-?workbench|iozone|parabench|pbl|io500"

# Options that every dialect takes, and those of the commands that are no dialect's (serve, report, topology).
OWN = set("result resume pin nic membind depth rate watchdog give-up drop-caches overwrite device must-fit direct data stop-before "
          "details until-interval max-repetitions repeat-time live on-phase "
          "advertise back capacity once idle secret-file listen run measure allow strict summary-file output allowed target ranks expect "
          "expect-cases fail-if-unsure picture".split())
# Options of backends: --uring.entries.
BACKENDS = "rdma uring libaio posix mmap stdio mpiio fault null"

# File: what it may say, and why.
ALLOWED = {
    # The bytes that IOR writes are a data format that exists in the world, whichever dialect reads or writes them.
    "include/weir/plan/plan.h": "payload", "include/weir/payload/payload.h": "payload",
    "include/weir/payload/payload_ior.h": "payload", "include/weir/payload/recognise.h": "payload",
    "src/payload/payload.c": "payload", "src/payload/payload_ior.c": "payload", "src/payload/recognise.c": "payload",
    "src/payload/verify.c": "payload", "src/plan/check.c": "payload", "src/plan/explain_words.c": "payload",
    "src/engine/identity.c": "payload", "src/engine/items.h": "payload", "src/engine/ownership.c": "payload", "src/audit/audit.c": "payload",
    # The manual page of each finding names the options of all dialects that help.
    "src/base/finding.c": "manual",
    # The environment variables IOR_HINT__... name hints of MPI-IO, as sites have them in their scripts.
    "backends/mpiio_hints.c": "hints", "backends/mpiio.c": "hints",
    # The column of `weir backends` that gives the labels that IOR has for them.
    "src/commands/show.c": "label",
}

LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
LETTER = re.compile(r"(?<![\w%-])-([A-Za-z])(?![\w-])")
CAMEL = re.compile(r"(?<![\w.%{])[a-z]{2,}[A-Z][a-z]+\w*")
LONG = re.compile(r"(?<![\w-])--([A-Za-z][\w-]*)(\.?)")
NAME = re.compile(rf"(?<![a-z])({DIALECTS})(?![a-z])", re.I)
INCLUDE = re.compile(r"^\s*#\s*include")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# Commands of other programs, whose options a sentence repeats.
FOREIGN = re.compile(r"mpiexec[^;,)]*|srun[^;,)]*|sysctl -w|ulimit -\w|modprobe -r|date -d|numactl -H|dmesg[^;,)]*|wipefs -a|"
                     r"lstopo --of|head -c|mount -o|tuneFileCacheType|losetup --direct-io|--network host|--bind-to none|--cpu-bind=none|--cap-add|--security-opt")


# Arguments of a program that is started: {(char[]){"sh"}, (char[]){"-c"}, ...} and {"sh", "-c", command, NULL}.
ARGUMENT = re.compile(r'\(char\[\]\)\{"(?:\\.|[^"\\\n])*"\}|\{"sh", "-c", [^}]*\}')


def sentences(line):
    return FOREIGN.sub("", " ".join(LITERAL.findall(ARGUMENT.sub("", line))))


def faults(relative, line):
    text = sentences(line)
    for match in LETTER.finditer(text):
        yield f"-{match.group(1)} is an option of a dialect: use a remedy (weir/base/remedy.h)"
    for match in CAMEL.finditer(text):
        yield f"{match.group()} is a variable of a dialect: use a remedy (weir/base/remedy.h)"
    for match in LONG.finditer(text):
        if match.group(1) not in OWN and match.group(1) not in BACKENDS.split():
            yield f"--{match.group(1)} is no option that every dialect has: use a remedy (weir/base/remedy.h)"
    match = NAME.search(line)
    if match and relative not in ALLOWED:
        yield f"{match.group(1)} is a dialect, of which nothing below front and report knows"


def main():
    findings = []
    for path in sources.files(*ROOMS):
        relative = str(path.relative_to(sources.root()))
        text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            if not INCLUDE.match(line) and ALLOWED.get(relative) != "manual":
                findings += [(path, number, sentence) for sentence in faults(relative, line)]
    sources.finish(findings)


main()
