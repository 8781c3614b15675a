#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of stored runs in headless Chromium at 400, 1,000 and 1,600 pixels, light and dark, tables open, and stored pictures: nothing
scrolls sideways, no label overlaps another or leaves its picture, each text has a contrast of 4.5 or more with what is behind it, and each
hatch one of 3, nothing is loaded, and nothing is said on the console. browser.py FOLDER WEIR; 77: no Chromium."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCRIPT = r"""
const found = [];
let pictures = 0, words_seen = 0, hatches = 0;
function colour(text) { // [red, green, blue, opacity]
  const numbers = (text.match(/[\d.]+/g) || []).map(Number);
  return numbers.length < 3 ? [0, 0, 0, 0] : [numbers[0], numbers[1], numbers[2], numbers.length > 3 ? numbers[3] : 1];
}
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
function luminance(c) {
  const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) { // as WCAG 2 defines it
  const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m);
  return (x + 0.05) / (y + 0.05);
}
function paper(inner, element) { // the colour behind a text
  let below = [];
  const middle = element.getBoundingClientRect();
  for (const at of inner.elementsFromPoint((middle.left + middle.right) / 2, (middle.top + middle.bottom) / 2)) {
    if (at.closest('text') || at.closest('.hatch')) continue;
    const style = inner.defaultView.getComputedStyle(at);
    const is_mark = at.closest('svg') && at.localName !== 'svg';
    if (is_mark && style.fill === 'none') continue;
    const layer = colour(is_mark ? style.fill : style.backgroundColor);
    if (is_mark) layer[3] *= Number(style.fillOpacity);
    below.push(layer);
  }
  return below.reverse().reduce((under, layer) => over(layer, under), DARK ? [18, 18, 18, 1] : [255, 255, 255, 1]);
}
function corners(text) {
  const box = text.getBBox(), matrix = text.getScreenCTM();
  // Letters are lower than their box.
  return [[box.x, box.y + 3], [box.x + box.width, box.y + 3], [box.x + box.width, box.y + box.height - 2], [box.x, box.y + box.height - 2]]
    .map(([x, y]) => [matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f]);
}
function overlap(one, other) { // of two rectangles that may be turned: no edge separates them
  for (const shape of [one, other])
    for (let i = 0; i < 2; i++) {
      const axis = [shape[i + 1][0] - shape[i][0], shape[i + 1][1] - shape[i][1]], length = Math.hypot(...axis);
      const extent = points => { const at = points.map(p => (p[0] * axis[0] + p[1] * axis[1]) / length); return [Math.min(...at), Math.max(...at)]; };
      const [a, b] = [extent(one), extent(other)];
      if (Math.min(a[1], b[1]) - Math.max(a[0], b[0]) < 1) return false;
    }
  return true;
}
async function look(page, width) {
  const frame = document.createElement('iframe');
  frame.width = width; frame.height = 1000; frame.src = page;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const inner = frame.contentDocument, at = page.split('/').pop() + ' at ' + width + (DARK ? ', dark: ' : ': '), is_page = page.endsWith('html');
  for (const open of [false, true]) {
    inner.querySelectorAll('details').forEach(part => part.open = open);
    if (is_page && inner.documentElement.scrollWidth > inner.documentElement.clientWidth) found.push(at + 'scrolls sideways');
  }
  frame.height = inner.documentElement.scrollHeight + 50;
  if (is_page && !inner.querySelector('h1')) found.push(at + 'is no page');
  for (const picture of inner.querySelectorAll('svg')) {
    pictures++;
    const edge = picture.getBoundingClientRect(), name = picture.getAttribute('aria-label').slice(0, 40) + ': ';
    const words = [...picture.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect(), corners(text)]);
    words.forEach(([text, a, own], i) => {
      if (is_page && (a.left < edge.left - 1 || a.right > edge.right + 1 || a.top < edge.top - 1 || a.bottom > edge.bottom + 1))
        found.push(at + name + text.textContent + ' is cut off');
      for (const [other, , its] of words.slice(0, i))
        if (overlap(own, its)) found.push(at + name + text.textContent + ' overlaps ' + other.textContent);
    });
  }
  for (const text of inner.querySelectorAll('svg text, h1, h2, h3, p, td, th, dt, dd, pre, a, summary, span, b, figcaption')) {
    if (![...text.childNodes].some(part => part.nodeType === 3 && part.data.trim()) || text.getClientRects().length === 0) continue;
    const style = inner.defaultView.getComputedStyle(text);
    const has_halo = text.closest('svg') && style.stroke !== 'none' && parseFloat(style.strokeWidth) >= 2;
    const behind = has_halo ? colour(style.stroke) : paper(inner, text);
    const ratio = contrast(over(colour(text.closest('svg') ? style.fill : style.color), behind), behind);
    words_seen++;
    if (ratio < 4.5) found.push(at + text.textContent.slice(0, 30) + ' has a contrast of ' + ratio.toFixed(2));
  }
  for (const stripes of inner.querySelectorAll('svg .hatch')) {
    const behind = paper(inner, stripes), ratio = contrast(over(colour(inner.defaultView.getComputedStyle(stripes).stroke), behind), behind);
    hatches++;
    if (ratio < 3) found.push(at + 'stripes have a contrast of ' + ratio.toFixed(2));
  }
  if (frame.contentWindow.performance.getEntriesByType('resource').length > 0) found.push(at + 'loads something');
  frame.remove();
}
(async () => {
  for (const page of PAGES) for (const width of page.endsWith('svg') ? [700] : [400, 1000, 1600]) await look(page, width);
  if (pictures < 10 * PAGES.length / 2 || words_seen < 100 * PAGES.length / 2) found.push('only ' + pictures + ' pictures with ' + words_seen + ' words');
  if (hatches < 8) found.push('only ' + hatches + ' hatched marks');
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  if (dark !== DARK) found.push('the browser is ' + (dark ? 'dark' : 'light'));
  document.body.innerHTML = '<pre id="found"></pre>';
  document.getElementById('found').textContent = found.join('\n') || 'sound: ' + pictures + ' pictures, ' + words_seen + ' words';
})().catch(error => { document.body.innerHTML = '<pre id="found"></pre>'; document.getElementById('found').textContent = error.stack; });
"""


def look(chromium, scratch, pages, is_dark):
    """Prints what is wrong, and returns whether nothing is."""
    check = pathlib.Path(scratch) / "check.html"
    check.write_text(f"<!DOCTYPE html><meta charset=utf-8><body><script>const DARK = {str(is_dark).lower()}, PAGES = {pages!r};{SCRIPT}</script>", encoding="utf-8")
    done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", f"--user-data-dir={scratch}/profile",
                           f"--blink-settings=preferredColorScheme={0 if is_dark else 1}", "--virtual-time-budget=100000", "--enable-logging=stderr",
                           "--dump-dom", f"file://{check}"], capture_output=True, text=True, timeout=500, check=False)
    match = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    print("dark" if is_dark else "light", html.unescape(match[1]) if match else f"no answer: {done.stderr[-500:]}", *said, sep="\n")
    return bool(match) and match[1].startswith("sound") and not said


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("skipped: chromium is not installed")
        sys.exit(77)
    folder, weir = pathlib.Path(sys.argv[1]).resolve(), os.path.realpath(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        pages = [str(path) for path in sorted((folder / "picture").glob("*.svg"))]
        for path in sorted((*(folder / "verdict").glob("*.jsonl"), *(folder / "picture").glob("*.jsonl"))):
            pages.append(f"{scratch}/{path.stem}.html")
            subprocess.run([weir, "report", path, "--run", "all", "--format", "html", "--output", pages[-1]], stderr=subprocess.DEVNULL, check=False)
        sound = [look(chromium, scratch, pages, is_dark) for is_dark in (False, True)]
    sys.exit(not all(sound))


main()
