# SPDX-License-Identifier: Apache-2.0
"""The table and the picture of `bench engines`."""
import shutil
import subprocess

from pairs import verdict

GOALS = {"iops of fio": 1.00, "iops of the bare loop": 0.97, "cpu of fio": 1.00}
NAMES = ("weir", "fio", "fio tuned", "bare")


def figure(row, name, key, scale=1.0):
    value = row["median"].get(name, {}).get(key)
    return f"{value * scale:10.0f}" if value is not None else f"{'-':>10}"


def ratio_of(row, key, name):
    value = row["ratio"][key].get(name)
    return f"{value:8.3f}" if value is not None else f"{'-':>8}"


def missed(row):
    """Which goals are missed, shortly."""
    checks = [("fio", "iops", GOALS["iops of fio"], 1), ("bare", "iops", GOALS["iops of the bare loop"], 1),
              ("fio", "cpu_ns", GOALS["cpu of fio"], -1)]
    found = []
    for name, key, goal, sign in checks:
        value = row["ratio"][key].get(name)
        if value is not None and sign * value < sign * goal:
            found.append(f"{key.replace('_ns', '')} of {name}")
    return found


def print_rows(rows):
    print(f"{'depth':>5} |{'weir':>10}{'fio':>10}{'fio tuned':>10}{'bare':>10} |{'/fio':>8}{'/tuned':>8}{'/bare':>8} |"
          f"{'weir':>8}{'/fio':>8}{'/tuned':>8}{'/bare':>8} |{'weir':>10}{'fio':>10}{'fio tuned':>10} |")
    for row in rows:
        print(f"{row['depth']:5} |" + "".join(figure(row, name, "iops") for name in NAMES) + " |" +
              "".join(ratio_of(row, "iops", name) for name in NAMES[1:]) + " |" +
              figure(row, "weir", "cpu_ns")[2:] + "".join(ratio_of(row, "cpu_ns", name) for name in NAMES[1:]) + " |" +
              "".join(figure(row, name, "p99_ns", 1e-3) for name in NAMES[:3]) + " |" +
              ("" if not missed(row) else " missed: " + ", ".join(missed(row))))


def print_tables(results):
    rows = results["rows"]
    print("random transfers of 4 KiB; medians, and ratios pair by pair. Columns: transfers per second and their ratio; "
          "processor time per transfer (ns) and its ratio; 99th percentile of the latency (us)")
    seen = []
    for row in rows:
        key = (row["place"], row["engine"], row["verb"])
        if key in seen:
            continue
        seen.append(key)
        print(f"\n{row['place']}{', O_DIRECT' if row['is_direct'] else ', buffered'}: {row['engine']}, {row['verb']}")
        print_rows([r for r in rows if (r["place"], r["engine"], r["verb"]) == key])
    print()
    for gain in results["depth_gain"]:
        print(f"depth 32 against depth 1: {gain['place']}, {gain['engine']}, {gain['verb']}: {gain['gain']:.2f}")
    for row in results["same_rate"]:
        texts = [f"{name} {figures['iops']:.0f} per s, mean {figures['mean_ns'] / 1e3:.1f}, median {figures['p50_ns'] / 1e3:.1f}, "
                 f"99 % {figures['p99_ns'] / 1e3:.1f} us" for name, figures in row["median"].items()]
        print(f"latencies at {row['rate']} reads per second: {row['place']}, {row['engine']}: " + "; ".join(texts))
    for place, reason in results["left_out"].items():
        print(f"{place}: left out: {reason}")
    for text, key in (("transfers per second >= 1.00 of fio", "iops of fio"),
                      ("transfers per second >= 0.97 of the bare loop", "iops of bare"),
                      ("processor time per transfer <= 1.00 of fio", "cpu of fio")):
        count = sum(key in missed(row) for row in rows)
        print(f"goal: {text}: {verdict(count == 0)}" + (f" in {count} of {len(rows)} rows" if count else ""))


# ---- the picture ----

def data_block(name, points):
    return f"${name} << END\n" + "".join(f"{x} {y}\n" for x, y in points) + "END\n"


def panel(rows, place, verb, key, number):
    """One diagram: all contestants of both engines over depth."""
    blocks, curves = "", []
    for engine in sorted({row["engine"] for row in rows}):
        for index, name in enumerate(NAMES):
            points = [(row["depth"], row["median"][name][key]) for row in rows
                      if (row["place"], row["verb"], row["engine"]) == (place, verb, engine)
                      and row["median"].get(name, {}).get(key) is not None]
            if points:
                block = f"d{number}_{engine}_{index}"
                blocks += data_block(block, points)
                scale = "$2/1e3"
                dash = "1" if engine == "uring" else "2"
                curves.append(f"${block} using 1:({scale}) with linespoints lc {index + 1} pt {index + 4} dt {dash} "
                              f"title '{engine} {name}'")
    unit = "thousands per second" if key == "iops" else "99th percentile, us"
    head = f"set title '{place}, {verb}'\nset ylabel '{unit}'\n"
    head += "unset logscale y\nset yrange [0:*]\n" if key == "iops" else "set logscale y\nset yrange [*:*]\n"
    return blocks + head + ("plot " + ", ".join(curves) if curves else "set multiplot next") + "\n"


def plot(rows, path):
    """IOPS and the 99th percentile over depth. False if there is no gnuplot."""
    if not shutil.which("gnuplot"):
        return False
    shown = list(dict.fromkeys(row["place"] for row in rows))
    verbs = list(dict.fromkeys(row["verb"] for row in rows))
    columns = 2 * len(verbs)
    text = (f"set terminal svg size {480 * columns},{400 * len(shown)} dynamic background 'white' font 'sans,11'\n"
            f"set output '{path}'\nset multiplot layout {len(shown)},{columns}\n"
            "set logscale x 2\nset xlabel 'depth'\nset key left top font ',8'\nset grid\n")
    number = 0
    for place in shown:
        for verb in verbs:
            for key in ("iops", "p99_ns"):
                text += panel(rows, place, verb, key, number)
                number += 1
    return subprocess.run(["gnuplot"], input=text + "unset multiplot\n", text=True).returncode == 0
