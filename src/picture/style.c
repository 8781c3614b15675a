/* SPDX-License-Identifier: Apache-2.0 */
/* The style of pictures. Without variables of CSS, which programs that draw SVG do not know. */
#include "range.h"

#define P ".weir-picture "

/* Of tones 0 to 7, WEIR_TONE_REFERENCE and WEIR_TONE_ODD: colours on light and dark paper, and
 * dashes. */
static const char *const tones[][3] = {
    {"#1f5fa8", "#7db3f0", "none"},    {"#b35300", "#f0a860", "7 3"},
    {"#1b7a3d", "#72cf93", "2 2"},     {"#7b3fa0", "#cf9df0", "8 3 2 3"},
    {"#00707a", "#62d0d8", "4 2 1 2"}, {"#8a5a00", "#d9bd6a", "12 3"},
    {"#a3295f", "#f09abf", "1 3"},     {"#4d5a66", "#aebbc7", "12 3 3 3"},
    {"#444444", "#c8c8c8", "5 4"},     {"#b3261e", "#ff8f85", "3 2"}};
static const char *const heats[WEIR_HEAT_CLASSES][2] = {
    {"#eef4fb", "#1a2836"}, {"#d3e3f4", "#1f3a55"}, {"#b0cdea", "#255078"}, {"#8ab6e0", "#5a8fc0"},
    {"#679fd2", "#7aa9d6"}, {"#2f6fb0", "#9bc1e6"}, {"#1c5390", "#c0daf3"}, {"#0b3766", "#e6f1fc"}};

static void add_colours(struct weir_text *text, unsigned dark)
{
    for (unsigned i = 0; i < sizeof tones / sizeof *tones; i++)
        weir_text_add(text, P ".t%u{stroke:%s;fill:%s}\n", i, tones[i][dark], tones[i][dark]);
    for (unsigned i = 0; i < WEIR_HEAT_CLASSES; i++)
        weir_text_add(text, P ".h%u{fill:%s;stroke:%s}" P ".n%u{fill:%s}\n", i, heats[i][dark],
                      heats[i][dark], i, (dark ? i >= 3 : i < 5) ? "#111111" : "#ffffff");
    weir_text_add(text,
                  P "text{fill:%s}" P ".grid{stroke:%s}" P ".axis," P ".hatch{stroke:%s}" P
                    ".label{stroke:%s}" P ".paper{fill:%s}\n",
                  dark ? "#e4e8ec" : "#1c2126", dark ? "#39424c" : "#dfe4ea",
                  dark ? "#9aa6b2" : "#4d5a66", dark ? "#14181d" : "#ffffff",
                  dark ? "#14181d" : "#ffffff");
}

void weir_picture_style(struct weir_text *text)
{
    add_colours(text, 0);
    weir_text_add(text, "@media screen and (prefers-color-scheme:dark){\n");
    add_colours(text, 1);
    weir_text_add(text,
                  "}\n" P "text{font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}" P
                  ".middle{text-anchor:middle}" P ".end{text-anchor:end}" P
                  ".picture-title{font-weight:bold}" P ".axis-name{font-style:italic}\n" P
                  ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}" P
                  ".band{fill-opacity:.25;stroke:none}" P ".dot{stroke-width:1.2}" P
                  ".dot.t9{stroke-width:2.2}" P ".bar{fill-opacity:.8;stroke:none}" P
                  ".whisker{fill:none;stroke-width:1.3}\n" P ".axis{stroke-width:1.2}" P
                  ".hatch{fill:none;stroke-width:1.1}" P ".heat{shape-rendering:crispEdges}" P
                  ".swatch{stroke-width:0}" P
                  ".label{stroke-width:3;paint-order:stroke;stroke-linejoin:round}\n");
    for (unsigned i = 0; i < sizeof tones / sizeof *tones; i++)
        weir_text_add(text, P ".line.t%u{stroke-dasharray:%s}", i, tones[i][2]);
    weir_text_add(text, "\n");
}
