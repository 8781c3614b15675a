#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of stored runs in headless Chromium at 400, 1,000 and 1,600 pixels, tables open: nothing scrolls sideways, no label overlaps
another or leaves its picture, nothing is loaded, and nothing is said on the console. browser.py FOLDER WEIR; 77: no Chromium."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCRIPT = """
const found = [];
async function look(page, width) {
  const frame = document.createElement('iframe');
  frame.width = width; frame.height = 1000; frame.src = page;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const inner = frame.contentDocument, at = page.split('/').pop() + ' at ' + width + ': ';
  for (const open of [false, true]) {
    inner.querySelectorAll('details').forEach(part => part.open = open);
    if (inner.documentElement.scrollWidth > inner.documentElement.clientWidth) found.push(at + 'scrolls sideways');
  }
  for (const picture of inner.querySelectorAll('svg')) {
    const edge = picture.getBoundingClientRect(), name = picture.getAttribute('aria-label').slice(0, 40) + ': ';
    const words = [...picture.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
    words.forEach(([text, a], i) => {
      if (a.left < edge.left - 1 || a.right > edge.right + 1 || a.top < edge.top - 1 || a.bottom > edge.bottom + 1)
        found.push(at + name + text.textContent + ' is cut off');
      for (const [other, b] of words.slice(0, i))
        if (!text.hasAttribute('transform') && !other.hasAttribute('transform') &&
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
          found.push(at + name + text.textContent + ' overlaps ' + other.textContent);
    });
  }
  if (frame.contentWindow.performance.getEntriesByType('resource').length > 0) found.push(at + 'loads something');
  frame.remove();
}
(async () => {
  for (const page of PAGES) for (const width of [400, 1000, 1600]) await look(page, width);
  document.body.innerHTML = '<pre id="found"></pre>';
  document.getElementById('found').textContent = found.join('\\n') || 'sound';
})();
"""


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("skipped: chromium is not installed")
        sys.exit(77)
    folder, weir = pathlib.Path(sys.argv[1]), os.path.realpath(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        pages = []
        for path in sorted((*(folder / "verdict").glob("*.jsonl"), *(folder / "picture").glob("*.jsonl"))):
            pages.append(f"{scratch}/{path.stem}.html")
            subprocess.run([weir, "report", path, "--run", "all", "--format", "html", "--output", pages[-1]], stderr=subprocess.DEVNULL, check=False)
        check = pathlib.Path(scratch) / "check.html"
        check.write_text(f"<!DOCTYPE html><meta charset=utf-8><body><script>const PAGES = {pages!r};{SCRIPT}</script>", encoding="utf-8")
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", f"--user-data-dir={scratch}/profile",
                               "--virtual-time-budget=100000", "--enable-logging=stderr", "--dump-dom", f"file://{check}"],
                              capture_output=True, text=True, timeout=500, check=False)
    match = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    print(html.unescape(match[1]) if match else f"no answer: {done.stderr[-500:]}", *said, sep="\n")
    sys.exit(not match or match[1] != "sound" or bool(said))


main()
