/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as scripts of gnuplot 5 that hold their data. Names are in single quotes, in which
 * gnuplot runs no commands. */
#include "range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Labels of ticks are formats. */
static void add_quoted(struct weir_text *text, const char *string, bool is_format)
{
    char room[WEIR_CUT_BYTES];

    weir_text_add(text, "'");
    for (const char *at = weir_utf8_cut(string, is_format ? WEIR_NAME_WIDTH : 100, room);
         *at != '\0'; at++)
        if (*at == '\'' || *at == '`')
            weir_text_add(text, "''");
        else
            weir_text_add(text, *at == '%' && is_format ? "%%%%" : "%c", *at);
    weir_text_add(text, "'");
}

/* Sets the ticks and the range of an axis. Ends other than 0 have a margin: marks on the border are
 * clipped. */
static void add_axis(struct weir_text *text, const struct weir_range *range, char name)
{
    const struct weir_axis *axis = range->axis;
    bool has_names = axis->scale == WEIR_SCALE_NAMES;
    bool is_log = axis->scale == WEIR_SCALE_LOG || axis->scale == WEIR_SCALE_LOG2;
    unsigned count = has_names ? axis->name_count : range->tick_count;
    double low = is_log ? log(range->low) : range->low;
    double high = is_log ? log(range->high) : range->high, size = high - low;

    weir_text_add(text, "set %clabel ", name);
    add_quoted(text, range->title, false);
    weir_text_add(text, "\nset %ctics%s (", name, has_names && name == 'x' ? " rotate by -40" : "");
    for (unsigned i = 0; i < count; i++) {
        double value = has_names ? i : low + range->ticks[i].place * size;

        weir_text_add(text, "%s", i > 0 ? ", " : "");
        add_quoted(text, has_names ? axis->names[i] : range->ticks[i].label, true);
        weir_text_add(text, " %.9g", is_log ? exp(value) : value);
    }
    low -= !is_log && low == 0 ? 0 : size * 0.02;
    high += !is_log && high == 0 ? 0 : size * 0.02;
    weir_text_add(text, ")\n");
    if (is_log)
        weir_text_add(text, "set logscale %c %d\n", name, axis->scale == WEIR_SCALE_LOG2 ? 2 : 10);
    if (has_names)
        weir_text_add(text, name == 'x' ? "set xrange [-0.5:%d.5]\n" : "set yrange [%d.5:-0.5]\n",
                      (int)fmax(count, 1) - 1);
    else
        weir_text_add(text, "set %crange [%.9g:%.9g]\n", name, is_log ? exp(low) : low,
                      is_log ? exp(high) : high);
}

/* Adds the points of a layer, or its odd ones alone. An empty line ends a line at a gap. */
static void add_points(struct weir_text *text, const struct weir_layer *layer, bool is_odd,
                       unsigned number)
{
    const double *arrays[] = {layer->x, layer->y, layer->low, layer->high};

    weir_text_add(text, "$%s%u << EOD\n", is_odd ? "odd" : "layer", number);
    for (size_t i = 0; i < layer->count; i++) {
        bool has_gaps = layer->mark == WEIR_MARK_LINE || layer->mark == WEIR_MARK_BAND;
        bool is_gap = false;

        if (is_odd && !layer->is_odd[i])
            continue;
        for (unsigned k = 0; k < 4; k++)
            is_gap |= has_gaps && arrays[k] != NULL && !isfinite(arrays[k][i]);
        for (unsigned k = 0; k < 4 && !is_gap; k++)
            if (arrays[k] != NULL && isfinite(arrays[k][i]))
                weir_text_add(text, " %.9g", arrays[k][i]);
            else
                weir_text_add(text, " ?"); /* gnuplot's missing value */
        weir_text_add(text, "\n");
    }
    weir_text_add(text, "EOD\n");
}

/* Adds the rules of a layer as arrows that end nowhere, and its labels: those of horizontal bars
 * are on the right of the plot, at `shift` from their rows. */
static void add_notes(struct weir_text *text, const struct weir_layer *layer, bool is_horizontal,
                      double shift)
{
    bool is_rule = layer->mark == WEIR_MARK_RULE;
    bool is_level = is_rule && layer->y != NULL, is_upright = is_rule && layer->y == NULL;

    for (size_t i = 0; i < layer->count && (is_rule || layer->labels != NULL); i++) {
        char x[32] = "graph 1", y[32] = "graph 1";

        if ((!is_level && !isfinite(layer->x[i])) || (!is_upright && !isfinite(layer->y[i])))
            continue;
        if (!is_level && !is_horizontal)
            snprintf(x, sizeof x, "first %.9g", layer->x[i]);
        if (!is_upright)
            snprintf(y, sizeof y, "first %.9g", layer->y[i] + shift);
        if (is_rule)
            weir_text_add(text, "set arrow from %s, %s to %s, %s nohead dashtype 2\n",
                          is_level ? "graph 0" : x, is_upright ? "graph 0" : y, x, y);
        if (layer->labels == NULL || layer->labels[i] == NULL)
            continue;
        weir_text_add(text, "set label ");
        add_quoted(text, layer->labels[i], false);
        weir_text_add(text, " at %s, %s %s noenhanced\n", x, y,
                      is_level     ? "right offset 0,0.6"
                      : is_upright ? "left offset 0.7,-1"
                                   : "left offset 0.7,0.2");
    }
}

/* Adds the data of cells, one in a line. */
static void add_cells(struct weir_text *text, const struct weir_picture *picture)
{
    static const char *const formats[WEIR_QUANTITY_COUNT] = {
        "%g", "%.1s %cB/s", "%.1s %cops/s", "%.1s %cs", "%.0b %BB", "%g"};
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
    weir_text_add(text, "EOD\nset format cb '%s'\nset palette defined (0 '#eef4fb', 1 '#0b3766')\n",
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
    struct weir_text plots = {0};
    struct weir_plot plot;
    unsigned bar = 0;

    weir_plot_open(&plot, picture, 6, 6);
    weir_text_add(text,
                  "# gnuplot 5: uncomment a terminal, then: gnuplot FILE\n"
                  "# set terminal svg size 720,%.0f noenhanced; set output '%s.svg'\n"
                  "# set terminal pdfcairo noenhanced; set output '%s.pdf'\n"
                  "# set terminal dumb 78 24 noenhanced\n"
                  "set encoding utf8\nset datafile missing '?'\nset title ",
                  fmax(plot.is_horizontal ? 120 + 18.0 * picture->y.name_count : 0, 420),
                  picture->name, picture->name);
    add_quoted(text, picture->title, false);
    weir_text_add(text,
                  " noenhanced\nset key below noenhanced\nset grid\nset style fill solid 0.7\n");
    add_axis(text, &plot.x, 'x');
    add_axis(text, &plot.y, 'y');
    if (plot.label_width > 0)
        weir_text_add(text, "set rmargin %u\n", plot.label_width + 3);
    if (picture->cells != NULL)
        add_cells(text, picture);
    weir_text_add(&plots,
                  picture->cells != NULL ? "$cells using 1:2:3 with image pixels notitle" : "");
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];
        bool is_bar = layer->mark == WEIR_MARK_BARS;
        double width = WEIR_BARS_SPREAD / fmax(plot.bar_layers, 1);
        double from = -WEIR_BARS_SPREAD / 2 + width * bar;
        struct weir_box boxes[WEIR_PICTURE_THIN];
        unsigned count = weir_plot_marks(&plot, layer, boxes), odd = 0;

        bar += is_bar;
        add_notes(text, layer, is_bar && plot.is_horizontal,
                  is_bar && plot.is_horizontal ? from + width / 2 : 0);
        for (unsigned i = 0; i < count; i++)
            odd += layer->is_odd != NULL && layer->is_odd[boxes[i].index];
        for (unsigned is_odd = 0;
             is_odd < 1 + (odd > 0) && layer->mark != WEIR_MARK_RULE && count > 0; is_odd++) {
            add_points(text, layer, is_odd, k);
            weir_text_add(&plots, "%s$%s%u using ", plots.length > 0 ? ", \\\n     " : "",
                          is_odd ? "odd" : "layer", k);
            if (is_bar)
                weir_text_add(&plots,
                              plot.is_horizontal ? "1:2:(0):1:($2%+.2f):($2%+.2f) with boxxyerror"
                                                 : "1:2:($1%+.2f):($1%+.2f):(0):2 with boxxyerror",
                              from, from + width);
            else
                weir_text_add(&plots, "%s", styles[layer->mark][plot.is_horizontal]);
            if (is_odd)
                weir_text_add(&plots, " %s 2 linecolor rgb '#b3261e'",
                              layer->mark == WEIR_MARK_DOTS ? "pointtype" : "fillstyle pattern");
            weir_text_add(&plots, layer->name != NULL && !is_odd ? " title " : " notitle");
            if (layer->name != NULL && !is_odd)
                add_quoted(&plots, layer->name, false);
            if (layer->mark == WEIR_MARK_LINE)
                weir_text_add(&plots, " dashtype %u", layer->tone % 5 + 1);
        }
    }
    weir_text_add(text, "plot %s\n", plots.length > 0 ? weir_text_string(&plots) : "1/0 notitle");
    weir_text_close(&plots);
}
