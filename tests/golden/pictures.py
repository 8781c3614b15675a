#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every stored picture by an XML parser: marks have titles, nothing refers to the outside, no number is missing.
Scripts of gnuplot are run where gnuplot is installed."""
import pathlib, re, shutil, subprocess, sys, xml.etree.ElementTree as tree

folder, faults = pathlib.Path(sys.argv[1]), []
gnuplot = shutil.which("gnuplot")
for path in sorted(folder.rglob("*.svg")):
    text = path.read_text(encoding="utf-8")
    root = tree.fromstring(text)
    body = re.sub(r"<title>.*?</title>|<desc>.*?</desc>|<text.*?</text>|aria-label=\"[^\"]*\"", "", text, flags=re.S)
    if not root.get("aria-label") or root.get("role") != "img":
        faults.append(f"{path.name}: no label for readers")
    if re.search(r"\b(nan|inf|undefined)\b|href|url\(|<script|<image|\bon\w+=", body):
        faults.append(f"{path.name}: a missing number, a script, or a reference")
    if root.find(".//{http://www.w3.org/2000/svg}title") is None:
        faults.append(f"{path.name}: no titles")
for path in sorted(folder.rglob("*.gp")) if gnuplot else []:
    run = subprocess.run([gnuplot, "-e", "set terminal dumb noenhanced; set output '/dev/null'", path], capture_output=True, text=True)
    if run.returncode != 0 or run.stderr.strip():
        faults.append(f"{path.name}: gnuplot: {run.stderr.strip()[:300]}")
print("\n".join(faults) or "all pictures are sound" + ("" if gnuplot else " (no gnuplot: its scripts were not run)"))
sys.exit(bool(faults))
