# SPDX-License-Identifier: Apache-2.0
"""net.py LIMIT RESULT FORMAT OUTPUT SECONDS: no flow is faster than LIMIT bytes/s, in the result file and in what was printed; of
--iterations, exactly so many messages count; and all measurements together are no longer than the SECONDS that the launcher saw."""
import json
import pathlib
import re
import sys

SLACK = 1 + 1e-6
ROUNDED = 1.006  # three digits
UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
broken = []


def law(holds, text):
    if not holds:
        broken.append(text)


def printed_rates(form, text):
    """The rates of all lines, in bytes per second, and whether each is of all flows. An interval has whole messages of each flow."""
    if form == "iperf":
        for name, begin, end, rate, unit, side in re.findall(
                r"^\[ *(\d+|SUM)\](?:\[\w+-C\])? +([\d.]+)-([\d.]+) .* ([\d.]+) ([KMGT]?)bits/sec +\d* *(sender|receiver|)$", text, re.M):
            slack = 0 if side else 8192 / max(float(end) - float(begin), 0.01)
            yield float(rate) * UNITS[unit] / 8 - slack * (3 if name == "SUM" else 1), name == "SUM"
    elif form == "perftest":
        for peak, average in re.findall(r"^ \d+ +\d+ +([\d.]+) +([\d.]+)\s+[\d.]+$", text, re.M):
            yield max(float(peak), float(average)) * 2**20, True
    elif form == "table":
        for whole, slowest, fastest in re.findall(r"^ +\d+ +8192 .* +([\d.]+) +\d+ +([\d.]+) +([\d.]+) +\d+ % +[\d.]+$", text, re.M):
            yield float(whole) * 1e6, True
            yield max(float(slowest), float(fastest)) * 1e6, False


def main():
    limit, seconds = float(sys.argv[1]), float(sys.argv[5])
    records = [json.loads(line) for line in pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()]
    form, text = sys.argv[3], pathlib.Path(sys.argv[4]).read_text(encoding="utf-8")
    plan = next(r for r in records if r["record"] == "run")["plan"]
    measurements = [r for r in records if r["record"] == "measurement"]
    most = max(len(m["flows"]) for m in measurements)
    for m in measurements:
        for f in m["flows"]:
            place = f"{f['source']} -> {f['sink']}, {f['messages']} messages in {f['seconds']} s"
            law(f["messages"] > 0 and not f["failure"], f"{place}: {f['failure'] or 'nothing moved'}")
            law(f["bytes"] <= limit * f["seconds"] * SLACK, f"{place}: faster than the wire")
            law(f["peak_bytes_per_s"] <= limit * SLACK, f"{place}: the peak, {f['peak_bytes_per_s']}, is faster than the wire")
            law(not plan["iterations"] or f["messages"] == plan["iterations"], f"{place}: {plan['iterations']} were asked for")
            law(f["seconds"] <= m["seconds"] * SLACK, f"{place}: longer than the measurement")
        law(m["bytes_per_s"] <= limit * len(m["flows"]) * SLACK, f"{m['bytes_per_s']} bytes/s are more than all wires have")
        law(not m["latency"] or sum(m["latency"]["counts"]) == sum(f["messages"] for f in m["flows"]) if m["latency"] and "counts" in m["latency"]
            else True, "there are more times than messages")
    law(sum(m["seconds"] for m in measurements) <= seconds, "measurements are longer than the run")
    rates = list(printed_rates(form, text))
    law(form == "json" or rates, f"no rate is found in {form}")
    for rate, is_sum in rates:
        law(rate <= limit * (most if is_sum else 1) * ROUNDED, f"{form} prints {rate} bytes/s")
    print("\n".join(broken))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
