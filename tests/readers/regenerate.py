# SPDX-License-Identifier: Apache-2.0
"""regenerate.py [NUMBER...]: makes the outputs that readers are asked about, by real runs of rows of tests/trust/situations.ini.

Takes root, and WEIR and WEIR_ROOT in the environment as the tests have them. Each output is what a user sees: the command line,
standard output and standard error of the run, nothing else. questions.md asks, key.md answers."""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "trust"))
import lib  # noqa: E402
import situations  # noqa: E402

# Number of the output: the row, and which of its two runs. The order is mixed, so that neighbours give no hint.
OUTPUTS = {1: ("dirty-ior", "run"), 2: ("tmpfs-mdtest", "run"), 3: ("dirty-mixed-ior", "run"), 4: ("limit-ior", "twin"), 5: ("cached-dd", "run"),
           6: ("names-delayed-mdtest", "run"), 7: ("too-few-ranks-cpu", "run"), 8: ("dirty-iozone", "run"), 9: ("cached-mmap", "twin"),
           10: ("tmpfs-iozone", "run"), 11: ("cached-parabench", "run"), 12: ("one-host-net", "run"), 13: ("wrong-data-ior", "run"),
           14: ("dirty-dd", "run"), 15: ("own-names-mdtest", "run"), 16: ("journal-targets", "twin"), 17: ("full-ior", "run"),
           18: ("tmpfs-as-asked-ior", "run"), 19: ("cpu-cache-net", "run"), 20: ("cached-sweep", "run")}


def make(number):
    name, which = OUTPUTS[number]
    table = situations.read_table(lib.HERE / "situations.ini")
    row = table[name]
    setup = row.get("setup", "")
    for _ in range(3):
        # Only what the judged run prints is kept: everything else goes to a file.
        script = "exec 3>&1 >/dev/null 2>&1\n" + setup + "\n" + re.sub(r"^(weir(?:_hosts)? .*?)( \|\| true)?$", r"\1 >&3 2>&3\2", row[which], flags=re.M)
        shell = lib.Shell(script)
        wrong = situations.judge_twin(row, shell) if which == "twin" else situations.judge_run({**row, "expect": row.get("expect", "").split(";")[0]}, shell)
        if not wrong:
            break
        print(f"{number:02}: {wrong}")
    commands = [line.removeprefix("+ ") for line in shell.commands.splitlines()]
    judged = commands[-1].replace(str(shell.work), "/scratch/me").replace("m/", "/scratch/me/")
    text = shell.output.replace(str(shell.work), "/scratch/me").replace(os.environ["WEIR"], "weir")
    text = re.sub(r"-{70,}\n(?:.*\n)*?-{70,}\n", "", text)  # what mpiexec says of exit codes
    (HERE / "outputs").mkdir(exist_ok=True)
    (HERE / "outputs" / f"{number:02}.txt").write_text(f"$ {judged}\n{text.rstrip()}\n", encoding="utf-8")
    print(f"{number:02}: {name} {which}: {[f['name'] for _, f in lib.findings_of(shell.records)]}")


def main():
    lib.need_root()
    for number in map(int, sys.argv[1:] or OUTPUTS):
        make(number)


if __name__ == "__main__":
    os.umask(0o022)
    main()
