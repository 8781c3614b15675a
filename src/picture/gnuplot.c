/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as scripts of gnuplot 5 that hold their data. Names are in single quotes, in which
 * gnuplot runs no commands. */
#include "range.h"

#include <math.h>
#include <string.h>

/* Labels of ticks are formats. */
static void add_quoted(struct weir_text *text, const char *string, bool is_format)
{
    char room[WEIR_CUT_BYTES];

    weir_text_add(text, "'");
    for (const char *at = weir_utf8_cut(string, 100, room); *at != '\0'; at++)
        if (*at == '\'' || *at == '`')
            weir_text_add(text, "''");
        else
            weir_text_add(text, *at == '%' && is_format ? "%%%%" : "%c", *at);
    weir_text_add(text, "'");
}

/* Formats of tick labels. */
static const char *const formats[WEIR_QUANTITY_COUNT] = {"%g",       "%.1s %cB/s", "%.1s %cops/s",
                                                         "%.1s %cs", "%.0b %BB",   "%g"};

static void add_axis(struct weir_text *text, const struct weir_axis *axis, const char *name)
{
    weir_text_add(text, "set %slabel ", name);
    add_quoted(text, axis->label, false);
    if (axis->scale == WEIR_SCALE_NAMES) {
        weir_text_add(text,
                      name[0] == 'x' ? "\nset xrange [-0.5:%u.5]\nset xtics rotate by -40 ("
                                     : "\nset yrange [%u.5:-0.5]\nset ytics (",
                      axis->name_count > 0 ? axis->name_count - 1 : 0);
        for (unsigned i = 0; i < axis->name_count; i++) {
            weir_text_add(text, "%s", i > 0 ? ", " : "");
            add_quoted(text, axis->names[i], true);
            weir_text_add(text, " %u", i);
        }
        weir_text_add(text, ")\n");
        return;
    }
    weir_text_add(text, "\nset format %s '%s'\n", name, formats[axis->quantity]);
    if (axis->scale != WEIR_SCALE_LINEAR)
        weir_text_add(text, "set logscale %s %d\n", name, axis->scale == WEIR_SCALE_LOG2 ? 2 : 10);
    else if (axis->has_zero)
        weir_text_add(text, "set %srange [0:*]\n", name);
}

/* Adds the data of a layer, or a rule as an arrow that ends nowhere. */
static void add_layer(struct weir_text *text, const struct weir_layer *layer, unsigned number)
{
    const double *arrays[] = {layer->x, layer->y, layer->low, layer->high};

    if (layer->mark != WEIR_MARK_RULE)
        weir_text_add(text, "$layer%u << EOD\n", number);
    for (size_t i = 0; i < layer->count; i++)
        if (layer->mark != WEIR_MARK_RULE) {
            for (unsigned k = 0; k < 4; k++)
                if (arrays[k] != NULL && isfinite(arrays[k][i]))
                    weir_text_add(text, " %.9g", arrays[k][i]);
                else
                    weir_text_add(text, " ?"); /* gnuplot's missing value */
            weir_text_add(text, "\n");
        } else if (isfinite(layer->y != NULL ? layer->y[i] : layer->x[i])) {
            weir_text_add(text,
                          layer->y != NULL ? "set arrow from graph 0, first %1$.9g to graph 1, "
                                             "first %1$.9g nohead dashtype 2\n"
                                           : "set arrow from first %1$.9g, graph 0 to first "
                                             "%1$.9g, graph 1 nohead dashtype 2\n",
                          layer->y != NULL ? layer->y[i] : layer->x[i]);
        }
    if (layer->mark != WEIR_MARK_RULE)
        weir_text_add(text, "EOD\n");
}

/* Adds the data of cells, one in a line, and the plot of them. */
static void add_cells(struct weir_text *text, const struct weir_picture *picture)
{
    const struct weir_cells *cells = picture->cells;

    weir_text_add(text, "$cells << EOD\n");
    for (unsigned i = 0; i < cells->rows * cells->columns; i++) {
        weir_text_add(text, " %.9g %.9g",
                      weir_cells_value(&picture->x, cells->x_low, cells->x_high,
                                       i % cells->columns + 0.5, cells->columns),
                      weir_cells_value(&picture->y, cells->y_low, cells->y_high,
                                       i / cells->columns + 0.5, cells->rows));
        if (isfinite(cells->values[i]))
            weir_text_add(text, " %.9g\n", cells->values[i]);
        else
            weir_text_add(text, " NaN\n"); /* an image has no missing values */
    }
    weir_text_add(text,
                  "EOD\nset format cb '%s'\nset palette defined (0 '#eef4fb', 1 '#0b3766')\n"
                  "plot $cells using 1:2:3 with image pixels notitle",
                  formats[cells->quantity]);
}

void weir_picture_gnuplot(const struct weir_picture *picture, struct weir_text *text)
{
    static const char *const styles[][2] = {
        [WEIR_MARK_LINE] = {"1:2 with lines", "1:2 with lines"},
        [WEIR_MARK_BAND] = {"1:3:4 with filledcurves fillstyle transparent solid 0.25", ""},
        [WEIR_MARK_DOTS] = {"1:2 with points", "1:2 with points"},
        [WEIR_MARK_RANGES] = {"1:(($3+$4)/2):3:4 with yerrorbars pointtype 0",
                              "(($3+$4)/2):2:3:4 with xerrorbars pointtype 0"},
        [WEIR_MARK_SPANS] = {"1:(($3+$4)/2):($1-0.35):($1+0.35):3:4 with boxxyerror",
                             "3:2:3:4:($2-0.35):($2+0.35) with boxxyerror"}};
    const char *separator = "plot ";
    struct weir_plot plot;
    unsigned bar = 0;

    weir_plot_open(&plot, picture, 2, 2);
    weir_text_add(text,
                  "# gnuplot 5: uncomment a terminal, then: gnuplot FILE\n"
                  "# set terminal svg size 720,420 noenhanced; set output '%s.svg'\n"
                  "# set terminal pdfcairo noenhanced; set output '%s.pdf'\n"
                  "# set terminal dumb 78 24 noenhanced\n"
                  "set encoding utf8\nset datafile missing '?'\nset title ",
                  picture->name, picture->name);
    add_quoted(text, picture->title, false);
    weir_text_add(text,
                  " noenhanced\nset key below noenhanced\nset grid\nset style fill solid 0.7\n");
    add_axis(text, &picture->x, "x");
    add_axis(text, &picture->y, "y");
    for (unsigned k = 0; k < picture->layer_count; k++)
        add_layer(text, &picture->layers[k], k);
    if (picture->cells != NULL) {
        add_cells(text, picture);
        separator = ", \\\n     ";
    }
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];
        struct weir_box boxes[WEIR_PICTURE_THIN];

        if (layer->mark == WEIR_MARK_RULE || weir_plot_marks(&plot, layer, boxes) == 0)
            continue;
        weir_text_add(text, "%s$layer%u using ", separator, k);
        if (layer->mark == WEIR_MARK_BARS) {
            double width = 0.76 / plot.bar_layers, from = -0.38 + width * bar++;

            weir_text_add(text,
                          plot.lies ? "1:2:(0):1:($2%+.2f):($2%+.2f) with boxxyerror"
                                    : "1:2:($1%+.2f):($1%+.2f):(0):2 with boxxyerror",
                          from, from + width);
        } else {
            weir_text_add(text, "%s", styles[layer->mark][plot.lies]);
        }
        weir_text_add(text, layer->name != NULL ? " title " : " notitle");
        if (layer->name != NULL)
            add_quoted(text, layer->name, false);
        if (layer->mark == WEIR_MARK_LINE)
            weir_text_add(text, " dashtype %u", layer->tone % 5 + 1);
        separator = ", \\\n     ";
    }
    weir_text_add(text, "%s\n", separator[0] == 'p' ? "plot 1/0 notitle" : "");
}
