# SPDX-License-Identifier: Apache-2.0
"""Names, and kinds of files that are in the way."""
from bed import BACKENDS, DONE, LACKING, ORDERLY, REFUSED, TOLD, Case

ODD_NAMES = (("space", "'a b  c'"), ("newline", r"$'a\nb'"), ("utf8", "'äöü€漢字'"), ("bad-utf8", r"$'a\xff\xfeb'"), ("quotes", r"""$'a\'b"c'"""),
             ("percent", "'%s%n%d'"), ("escape", r"$'a\e[31mb'"), ("ends-as-a-beacon", "f.weir-beacon"), ("prefix", "'ab:c'"))
SPECIAL = ("/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/tty", "/proc/self/mem", "/proc/version", "/sys/kernel/mm/x", "/", ".", "..",
           "''", "d/", "/nonexistent/x", "/etc/passwd/x")
LONG = "$(printf '%0{}d' 0)"


def names():
    for name, word in ODD_NAMES:
        yield Case(f"name.{name}", f"$M -n 2 $W $S -o {word} --result r.jsonl --summaryFormat JSON", DONE, output="json",
                   quick=name in ("newline", "bad-utf8"))
    yield Case("name.dash", "$M -n 2 $W $S -o=-file --result r.jsonl", DONE)
    yield Case("name.csv", "$W $S -i 3 -o 'a,\"b' --summaryFormat CSV", DONE, output="csv")
    # Without -F an @ is a byte of a name.
    for name, word in (("without-F", "a@b"), ("first", "@a"), ("last", "a@"), ("alone", "@"), ("twice", "a@@b")):
        yield Case(f"name.at-{name}", f"$M -n 2 $W $S -k -o '{word}'; rc=$?; [[ -s '{word}' ]] || exit 9; rm '{word}'; exit $rc", DONE, quick=name == "without-F")
        yield Case(f"name.at-md-workbench-{name}", f"$M -n 2 $W md-workbench -D 1 -P 3 -I 3 -R 1 -o '{word}'", DONE)
    for name, word in (("list", "$T/a@$T/b"), ("first", "@$T/a@$T/b"), ("last", "$T/a@$T/b@"), ("escaped", "$T/a@@b")):
        yield Case(f"name.at-F-{name}", f'$M -n 2 $W $S -F -o "{word}"', DONE, quick=name == "list")
    yield Case("name.at-F-alone", "$M -n 2 $W $S -F -o @", REFUSED)
    for length in (240, 246, 247, 254, 255):
        for ranks in (1, 2):
            yield Case(f"name.length-{length}-ranks-{ranks}", f"$M -n {ranks} $W $S -o {LONG.format(length)}", DONE,
                       quick=(length, ranks) in ((247, 2), (255, 2)))
    yield Case("name.length-246-F", f"$M -n 2 $W $S -F -o {LONG.format(246)}", DONE)
    for length, words in ((256, ""), (247, "-F"), (250, "-F"), (255, "-F")):
        yield Case(f"name.too-long-{length}{words}", f"$M -n 2 $W $S {words} -o {LONG.format(length)}", TOLD, says="ame too long|too long")
    deep = "$(printf 'd%0200d/' $(seq 18))"
    yield Case("name.deep-directory", f"mkdir -p {deep}; $M -n 2 $W $S -o {deep}f", DONE)
    for length in (4090, 5000, 100000):
        yield Case(f"name.path-{length}", f"$M -n 2 $W $S -o /$(printf 'd%0199d/' $(seq {length // 201}))f", TOLD, says="too long|o such file")
    # What ranks use to learn whether they see one directory is not a name that users give to their files.
    for ranks in (1, 2, 3):
        yield Case(f"name.foreign-beacon-ranks-{ranks}", f"$M -n {ranks} $W -w -t 64k -b 1m -o f", ORDERLY, setup="echo precious >f.weir-beacon",
                   quick=ranks == 2)
    yield Case("name.foreign-beacon-link", "$M -n 2 $W -w -t 64k -b 1m -o f", ORDERLY, setup="echo precious >v; ln -s v f.weir-beacon")
    yield Case("name.prefix-of-romio", "$M -n 2 $W -a MPIIO $S -o ufs:f", ORDERLY, setup="echo precious >f", quick=True)
    for prefix in ("nfs", "testfs", "ufs"):
        yield Case(f"name.prefix-{prefix}-own", f"$M -n 2 $W -a MPIIO -w -r -R -t 64k -b 1m -o {prefix}:$T/f", ORDERLY)


def kinds():
    for path in SPECIAL:
        yield Case(f"kind.target-{path.strip(chr(39)).strip('/').replace('/', '-') or 'none' if path != '/' else 'root'}",
                   f"mkdir -p d; $M -n 2 $W $S -o {path}", TOLD, quick=path in ("/dev/null", "/dev/full"))
    for kind, make in (("fifo", "mkfifo f"), ("directory", "mkdir f"),
                       ("socket", "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"f\")'")):
        for words in ("", "--overwrite", "-E", "-r -k", "-r -k --overwrite"):
            run = f"$W {words}" if words.startswith("-r") else f"$W -w -r {words}"
            yield Case(f"kind.{kind}{words.replace(' ', '')}", f"$M -n 2 {run} -t 64k -b 1m -o f", TOLD, limit=15, setup=make,
                       quick=kind == "fifo" and words in ("", "--overwrite"))
    for backend in BACKENDS:
        for kind, link in (("symlink", "ln -s"), ("hardlink", "ln")):
            for words in ("", "-E"):
                yield Case(f"kind.foreign-{kind}-{backend}{words}", f"$M -n 2 $W -a {backend} $S {words} -o f", REFUSED,
                           setup=f"echo precious >p; {link} p f", quick=backend in ("POSIX", "MPIIO"))
        yield Case(f"kind.foreign-file-{backend}", f"$M -n 2 $W -a {backend} $S -o f", REFUSED, setup="seq 100000 >f")
        yield Case(f"kind.foreign-file-read-{backend}", f"$M -n 2 $W -a {backend} -r -t 64k -b 256k -o f", ORDERLY, setup="head -c 2M /dev/urandom >f")
    yield Case("kind.foreign-symlink-F", "$M -n 2 $W -F $S -o f", REFUSED, setup="echo precious >p; ln -s p f.00000001")
    yield Case("kind.dangling-symlink", "$M -n 2 $W $S -o f", REFUSED, setup="ln -s q f")
    yield Case("kind.symlink-loop", "$M -n 2 $W $S -o f", TOLD, setup="ln -s f f")
    yield Case("kind.symlink-to-own", "$M -n 2 $W $S -o f", ORDERLY, setup="$W -w -k -t 64k -b 1m -o q; ln -s q f")
    yield Case("kind.foreign-empty", "$M -n 2 $W $S -o f", DONE, setup="touch f", may="f")
    yield Case("kind.own-and-more", "$M -n 2 $W $S -o f", ORDERLY, setup="$W -w -k -t 64k -b 1m -o f; echo hello >>f", may="f")
    yield Case("kind.own-zeros-may-go", "$M -n 2 $W $S -o f", DONE, setup="head -c 2M /dev/zero >f", may="f", quick=True)
    yield Case("kind.own-unstamped-may-go", "$M -n 2 $W $S -o f", DONE, setup="$W -w -k --data none -t 64k -b 1m -o f", may="f")
    for data in ("ior", "ior -l random", "ior -l i -G 5", "ior -l o"):
        yield Case(f"kind.own-data-{data.replace(' ', '')}-may-go", "$M -n 2 $W $S -o f", DONE, setup=f"$W -w -k --data {data} -t 64k -b 1m -o f",
                   may="f")


def permissions():
    yield Case("permission.directory", "as_nobody $M -n 2 $W $S -o /root/x", TOLD, says="ermission denied", root=True)
    yield Case("permission.file-of-another", "as_nobody $M -n 2 $W $S -o f", TOLD, setup="$W -w -k -t 64k -b 1m -o f; chmod 600 f", root=True)
    for backend in ("POSIX", "MPIIO", "URING"):
        yield Case(f"permission.one-rank-{backend}-F",
                   f"mkdir d0 d1; chmod 777 d0; chmod 755 d1; as_nobody $M -n 2 $W -a {backend} $S -F -o $T/d0/f@$T/d1/f --result r.jsonl", TOLD,
                   says="ermission denied", root=True)
    yield Case("permission.result", "as_nobody $M -n 2 $W $S -o f --result r.jsonl", LACKING | REFUSED, setup="touch r.jsonl; chmod 444 r.jsonl",
               root=True)
    for backend in ("POSIX", "MPIIO", "MPIIO -c", "URING", "MMAP"):
        mark = backend.replace(" ", "")
        yield Case(f"permission.one-rank-directory-{mark}", f"fenced $W -a {backend} $S -o d/f", TOLD,
                   setup="mkdir d; chown nobody d; chmod 700 d", limit=15, root=True, quick="-c" in mark)
        for words in ("-r -k", "-w -E -k", "-w -k"):
            yield Case(f"permission.one-rank-file-{mark}{words.replace(' ', '')}", f"fenced $W -a {backend} {words} -t 64k -b 1m -o f --result r.jsonl",
                       TOLD if words != "-w -k" else ORDERLY, setup="$M -n 3 $W -w -k -t 64k -b 1m -o f; chown nobody f; chmod 600 f", limit=15, may="f",
                       root=True, quick="MPIIO" in mark and words == "-r -k")


def cases():
    yield from names()
    yield from kinds()
    yield from permissions()
