/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of sound and of hostile data. Those under tests/golden/picture are also read by an XML
 * parser, and looked at by people. */
#include "picture/range.h"

#include "weir/picture/picture.h"

#include "weir/base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define POINTS 300
#define HOSTILE "\"><script>alert(1)</script>\x1b[31m\xff'`"

/* ---- samples, one per kind of picture ---- */

static double x[1024], y[1024], low[1024], high[1024], grid[1024];
static bool odd[1024];
static const char *labels[1024];
static const char *const few_names[] = {"write", "read", HOSTILE, "remove"};
static const char *const many_names[] = {
    "a rather long name of a target 1", "ost2", "ost3", "ost4", "ost5", "ost6", "ost7", "ost8"};

static void fill(unsigned count, double from, double factor, double scale)
{
    for (unsigned i = 0; i < count; i++) {
        x[i] = factor > 0 ? from * pow(factor, i) : from + i;
        y[i] = scale * (1 + 0.3 * sin(i * 0.7) + 0.01 * (i % 7));
        low[i] = y[i] * 0.8;
        high[i] = y[i] * 1.15;
        odd[i] = i % 5 == 4;
        labels[i] = i % 2 == 0 ? "label" : NULL;
    }
}

struct sample {
    const char *name;
    void (*make)(struct weir_picture *picture, struct weir_layer layers[4],
                 struct weir_cells *cells);
};

static void make_series(struct weir_picture *picture, struct weir_layer layers[4],
                        struct weir_cells *cells)
{
    static const double at[] = {120.0}, stonewall[] = {100.0};
    static const char *const name[] = {"failure"};

    fill(POINTS, 0, 0, 2.1e9);
    picture->x = (struct weir_axis){.label = "time", .quantity = WEIR_QUANTITY_SECONDS};
    picture->y = (struct weir_axis){
        .label = "rate", .quantity = WEIR_QUANTITY_BYTES_PER_S, .has_zero = true};
    layers[0] = (struct weir_layer){.mark = WEIR_MARK_BAND,
                                    .name = "5 to 95 % of ranks",
                                    .count = POINTS,
                                    .x = x,
                                    .low = low,
                                    .high = high};
    layers[1] = (struct weir_layer){
        .mark = WEIR_MARK_LINE, .name = "all ranks", .count = POINTS, .x = x, .y = y};
    layers[2] = (struct weir_layer){.mark = WEIR_MARK_RULE,
                                    .tone = WEIR_TONE_REFERENCE,
                                    .name = "stonewall",
                                    .count = 1,
                                    .x = stonewall};
    layers[3] = (struct weir_layer){
        .mark = WEIR_MARK_RULE, .tone = WEIR_TONE_ODD, .count = 1, .x = at, .labels = name};
    picture->layer_count = 4;
}

static void make_log(struct weir_picture *picture, struct weir_layer layers[4],
                     struct weir_cells *cells)
{
    static const char *const fractions[] = {"50 %", "75 %",   "90 %",    "95 %",
                                            "99 %", "99.9 %", "99.99 %", "greatest"};

    for (unsigned i = 0; i < 8; i++) {
        x[i] = i;
        y[i] = 4e-6 * pow(6, i);
        low[i] = 3e-6 * pow(5, i);
    }
    picture->x = (struct weir_axis){.label = "part of operations",
                                    .scale = WEIR_SCALE_NAMES,
                                    .names = fractions,
                                    .name_count = 8};
    picture->y = (struct weir_axis){
        .label = "latency", .quantity = WEIR_QUANTITY_SECONDS, .scale = WEIR_SCALE_LOG};
    layers[0] = (struct weir_layer){
        .mark = WEIR_MARK_LINE, .name = "repetition 1", .count = 8, .x = x, .y = y};
    layers[1] = (struct weir_layer){
        .mark = WEIR_MARK_LINE, .tone = 1, .name = "repetition 2", .count = 8, .x = x, .y = low};
    picture->layer_count = 2;
}

static void make_sweep(struct weir_picture *picture, struct weir_layer layers[4],
                       struct weir_cells *cells)
{
    static const double limit[] = {4.5e9};
    static const char *const limit_name[] = {"limit 4.5 GB/s"};

    fill(11, 1, 2, 1);
    for (unsigned i = 0; i < 11; i++) {
        y[i] = 4e9 * x[i] / (x[i] + 60);
        low[i] = y[i] * 0.9;
        high[i] = y[i] * 1.1;
        grid[i] = fmin(y[0] * x[i], 4.5e9);
        labels[i] = i == 7 ? "knee: 88 % of the limit" : NULL;
    }
    picture->x = (struct weir_axis){.label = "ranks", .scale = WEIR_SCALE_LOG2};
    picture->y = (struct weir_axis){
        .label = "rate", .quantity = WEIR_QUANTITY_BYTES_PER_S, .has_zero = true};
    layers[0] = (struct weir_layer){.mark = WEIR_MARK_LINE,
                                    .tone = WEIR_TONE_REFERENCE,
                                    .name = "ideal",
                                    .count = 11,
                                    .x = x,
                                    .y = grid};
    layers[1] = (struct weir_layer){
        .mark = WEIR_MARK_RANGES, .count = 11, .x = x, .low = low, .high = high};
    layers[2] = (struct weir_layer){
        .mark = WEIR_MARK_DOTS, .name = "write", .count = 11, .x = x, .y = y, .labels = labels};
    layers[3] = (struct weir_layer){.mark = WEIR_MARK_RULE,
                                    .tone = WEIR_TONE_ODD,
                                    .count = 1,
                                    .y = limit,
                                    .labels = limit_name};
    picture->layer_count = 4;
}

static void make_bars(struct weir_picture *picture, struct weir_layer layers[4],
                      struct weir_cells *cells)
{
    static const char *const shown[] = {"2.1 GB/s", "slow", NULL, "1", "2", "3", "4", "5"};

    fill(8, 0, 0, 3e9);
    picture->x = (struct weir_axis){
        .label = "rate", .quantity = WEIR_QUANTITY_BYTES_PER_S, .has_zero = true};
    picture->y = (struct weir_axis){
        .label = "target", .scale = WEIR_SCALE_NAMES, .names = many_names, .name_count = 8};
    layers[0] = (struct weir_layer){.mark = WEIR_MARK_BARS,
                                    .name = "write",
                                    .count = 8,
                                    .x = y,
                                    .y = x,
                                    .is_odd = odd,
                                    .labels = shown};
    layers[1] = (struct weir_layer){
        .mark = WEIR_MARK_BARS, .tone = 1, .name = "read", .count = 8, .x = low, .y = x};
    layers[2] = (struct weir_layer){
        .mark = WEIR_MARK_RULE, .tone = WEIR_TONE_REFERENCE, .name = "median", .count = 1, .x = y};
    picture->layer_count = 3;
}

static void make_vertical(struct weir_picture *picture, struct weir_layer layers[4],
                          struct weir_cells *cells)
{
    fill(8, 0, 0, 3e5);
    picture->x = (struct weir_axis){
        .label = "", .scale = WEIR_SCALE_NAMES, .names = many_names, .name_count = 8};
    picture->y =
        (struct weir_axis){.label = "rate", .quantity = WEIR_QUANTITY_OPS_PER_S, .has_zero = true};
    layers[0] =
        (struct weir_layer){.mark = WEIR_MARK_BARS, .count = 8, .x = x, .y = y, .is_odd = odd};
    layers[1] = (struct weir_layer){.mark = WEIR_MARK_RANGES,
                                    .tone = WEIR_TONE_REFERENCE,
                                    .name = "least to greatest",
                                    .count = 8,
                                    .x = x,
                                    .low = low,
                                    .high = high};
    picture->layer_count = 2;
}

static void make_heat(struct weir_picture *picture, struct weir_layer layers[4],
                      struct weir_cells *cells)
{
    for (unsigned i = 0; i < 32; i++)
        for (unsigned k = 0; k < 32; k++)
            grid[i * 32 + k] =
                i == 7 && k > 20 ? 0 : 1e8 * (1 + 0.3 * sin(i * k * 0.05) + (i == 20));
    grid[5] = NAN;
    picture->x = (struct weir_axis){.label = "time", .quantity = WEIR_QUANTITY_SECONDS};
    picture->y = (struct weir_axis){.label = "rank"};
    *cells = (struct weir_cells){.rows = 32,
                                 .columns = 32,
                                 .values = grid,
                                 .quantity = WEIR_QUANTITY_BYTES_PER_S,
                                 .x_high = 64,
                                 .y_high = 32,
                                 .has_sums = true};
    picture->cells = cells;
}

static void make_matrix(struct weir_picture *picture, struct weir_layer layers[4],
                        struct weir_cells *cells)
{
    fill(32, 0, 0, 1.1e9);
    picture->x = (struct weir_axis){
        .label = "record", .scale = WEIR_SCALE_NAMES, .names = few_names, .name_count = 4};
    picture->y = (struct weir_axis){
        .label = "file size", .scale = WEIR_SCALE_NAMES, .names = many_names, .name_count = 8};
    *cells = (struct weir_cells){.rows = 8,
                                 .columns = 4,
                                 .values = y,
                                 .is_odd = odd,
                                 .quantity = WEIR_QUANTITY_BYTES_PER_S,
                                 .odd_name = "fits into the cache"};
    picture->cells = cells;
}

static void make_spans(struct weir_picture *picture, struct weir_layer layers[4],
                       struct weir_cells *cells)
{
    fill(8, 0, 0, 20);
    picture->x =
        (struct weir_axis){.label = "time", .quantity = WEIR_QUANTITY_SECONDS, .has_zero = true};
    picture->y = (struct weir_axis){
        .label = "label", .scale = WEIR_SCALE_NAMES, .names = many_names, .name_count = 8};
    layers[0] = (struct weir_layer){
        .mark = WEIR_MARK_SPANS, .count = 8, .y = x, .low = low, .high = high, .is_odd = odd};
    picture->layer_count = 1;
}

static void make_forest(struct weir_picture *picture, struct weir_layer layers[4],
                        struct weir_cells *cells)
{
    static const double zero[] = {0};

    for (unsigned i = 0; i < 4; i++) {
        x[i] = i;
        y[i] = -0.02 + 0.03 * i;
        low[i] = y[i] - 0.02;
        high[i] = y[i] + 0.02;
        odd[i] = i == 3;
    }
    picture->x = (struct weir_axis){.label = "change", .quantity = WEIR_QUANTITY_SHARE};
    picture->y = (struct weir_axis){
        .label = "", .scale = WEIR_SCALE_NAMES, .names = few_names, .name_count = 4};
    layers[0] = (struct weir_layer){.mark = WEIR_MARK_RANGES,
                                    .name = "95 % range",
                                    .count = 4,
                                    .y = x,
                                    .low = low,
                                    .high = high};
    layers[1] = (struct weir_layer){.mark = WEIR_MARK_DOTS,
                                    .name = "change of the median",
                                    .count = 4,
                                    .x = y,
                                    .y = x,
                                    .is_odd = odd};
    layers[2] = (struct weir_layer){
        .mark = WEIR_MARK_RULE, .tone = WEIR_TONE_REFERENCE, .count = 1, .x = zero};
    picture->layer_count = 3;
}

static const struct sample samples[] = {
    {"series", make_series}, {"latency", make_log},       {"sweep", make_sweep},
    {"bars", make_bars},     {"vertical", make_vertical}, {"heat", make_heat},
    {"matrix", make_matrix}, {"spans", make_spans},       {"forest", make_forest}};

static void make(const struct sample *sample, struct weir_picture *picture,
                 struct weir_layer layers[4], struct weir_cells *cells)
{
    *picture = (struct weir_picture){.name = sample->name,
                                     .title = sample->name,
                                     .caption = "What is to be seen: " HOSTILE,
                                     .layers = layers};
    memset(layers, 0, 4 * sizeof *layers);
    *cells = (struct weir_cells){0};
    sample->make(picture, layers, cells);
}

/* ---- what holds for all pictures ---- */

static void assert_sound(const char *svg)
{
    static const char *const forbidden[] = {"nan", "inf", "undefined", "<script", "\x1b", "\xff"};

    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        if (strstr(svg, forbidden[i]) != NULL)
            fail_msg("\"%s\" in %.3000s", forbidden[i], svg);
    assert_non_null(strstr(svg, "</svg>"));
}

static void assert_text_fits(const struct weir_picture *picture)
{
    for (unsigned is_utf8 = 0; is_utf8 < 2; is_utf8++) {
        struct weir_text text = {0};
        unsigned lines = 0, width = 0;

        weir_picture_text(picture, is_utf8, &text);
        for (const unsigned char *at = (const unsigned char *)weir_text_string(&text); *at; at++) {
            if (*at == '\n') {
                assert_in_range(width, 0, WEIR_PICTURE_COLUMNS);
                width = 0;
                lines++;
            } else if ((*at & 0xc0) != 0x80) {
                assert_true(*at >= ' ' && (is_utf8 || *at < 0x7f || picture->title != NULL));
                width++;
            }
        }
        assert_in_range(lines, 3, WEIR_PICTURE_LINES);
        assert_null(strstr(text.data, "nan"));
        weir_text_close(&text);
    }
}

/* Compares with the golden file, or writes it. */
static void assert_golden(const char *name, const char *kind, const struct weir_text *text)
{
    const char *folder = getenv("WEIR_PICTURES");
    struct weir_text held = {0};
    char path[4096];
    FILE *file;

    if (folder == NULL)
        skip();
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, kind);
    file = fopen(path, getenv("WEIR_BLESS") != NULL ? "w" : "r");
    assert_non_null(file);
    if (getenv("WEIR_BLESS") != NULL) {
        fputs(weir_text_string(text), file);
        fclose(file);
        return;
    }
    assert_int_equal(weir_text_add_file(&held, file, 1 << 24), 0);
    assert_string_equal(weir_text_string(&held), weir_text_string(text));
    weir_text_close(&held);
}

static void every_kind_of_picture_is_as_before(void **state)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct weir_picture picture;
        struct weir_layer layers[4];
        struct weir_cells cells;
        struct weir_text text = {0};

        make(&samples[i], &picture, layers, &cells);
        weir_picture_svg(&picture, true, &text);
        assert_sound(weir_text_string(&text));
        assert_golden(samples[i].name, "svg", &text);
        weir_text_clear(&text);
        weir_picture_text(&picture, true, &text);
        assert_golden(samples[i].name, "txt", &text);
        weir_text_clear(&text);
        weir_picture_gnuplot(&picture, &text);
        assert_golden(samples[i].name, "gp", &text);
        assert_text_fits(&picture);
        weir_text_close(&text);
    }
}

/* Every form of a line, dots and bars of these values on this axis. */
static void draw(const double *values, size_t count, enum weir_scale scale)
{
    static const enum weir_mark marks[] = {WEIR_MARK_LINE, WEIR_MARK_DOTS, WEIR_MARK_BARS,
                                           WEIR_MARK_BAND, WEIR_MARK_RULE};
    double *at = calloc(count + 1, sizeof *at);

    assert_non_null(at);
    for (size_t i = 0; i < count; i++)
        at[i] = (double)i;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (int quantity = 0; quantity < WEIR_QUANTITY_COUNT; quantity++) {
            const struct weir_layer layer = {.mark = marks[i],
                                             .name = HOSTILE,
                                             .count = count,
                                             .x = at,
                                             .y = values,
                                             .low = values,
                                             .high = values};
            const struct weir_picture picture = {
                .name = "x",
                .title = HOSTILE,
                .caption = "",
                .x = {.label = HOSTILE},
                .y = {.label = "y", .quantity = quantity, .scale = scale},
                .layers = &layer,
                .layer_count = 1};
            struct weir_text text = {0};

            weir_picture_svg(&picture, quantity % 2, &text);
            assert_sound(weir_text_string(&text));
            assert_in_range(text.length, 100, 80000);
            assert_text_fits(&picture);
            weir_text_clear(&text);
            if (count <= 10000) /* the script has all points */
                weir_picture_gnuplot(&picture, &text);
            assert_null(strchr(weir_text_string(&text), '`'));
            weir_text_close(&text);
            if (count > 10000)
                break;
        }
    free(at);
}

static void hostile_values_are_drawn_or_left_out(void **state)
{
    static const struct {
        size_t count;
        double values[4];
    } rows[] = {{0, {0}},
                {1, {5}},
                {1, {0}},
                {1, {1e-9}},
                {2, {1e-9, 2e-9}},
                {2, {1e15, 1e15 + 1}},
                {1, {1e15}},
                {3, {7, 7, 7}},
                {3, {0, 0, 0}},
                {3, {NAN, 1, 2}},
                {3, {1, INFINITY, 2}},
                {2, {NAN, NAN}},
                {2, {-INFINITY, INFINITY}},
                {4, {-5, 3, -1, 2}},
                {2, {1e308, -1e308}},
                {2, {1e-320, 1}},
                {3, {1e-9, 1, 1e15}},
                {2, {999.6, 999.7}}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int scale = WEIR_SCALE_LINEAR; scale <= WEIR_SCALE_LOG2; scale++)
            draw(rows[i].values, rows[i].count, scale);
}

static void equal_values_are_drawn_between_different_ticks(void **state)
{
    static const double rows[][2] = {{5, 5}, {7, 7}, {1e15, 1e15 + 1}, {1e-9, 1e-9}, {3e-7, 3e-7}};
    static struct weir_box boxes[WEIR_PICTURE_THIN];
    static struct weir_plot plot;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int scale = WEIR_SCALE_LINEAR; scale <= WEIR_SCALE_LOG2; scale++) {
            const struct weir_layer layer = {
                .mark = WEIR_MARK_DOTS, .count = 2, .x = rows[i], .y = rows[i]};
            const struct weir_picture picture = {.x = {.label = "", .scale = scale},
                                                 .y = {.label = "", .scale = scale},
                                                 .layers = &layer,
                                                 .layer_count = 1};

            weir_plot_open(&plot, &picture, 7, 6);
            assert_int_equal(weir_plot_marks(&plot, &layer, boxes), 2);
            assert_in_range(plot.y.tick_count, 2, 8);
            for (unsigned k = 1; k < plot.y.tick_count; k++) {
                assert_true(plot.y.ticks[k - 1].place < plot.y.ticks[k].place);
                assert_string_not_equal(plot.y.ticks[k - 1].label, plot.y.ticks[k].label);
            }
        }
}

/* One peak and one gap among a million points stay, in their columns. */
static void a_million_points_keep_their_least_and_greatest(void **state)
{
    const size_t count = 1000000;
    double *values = malloc(count * sizeof *values), *at = malloc(count * sizeof *at);
    static struct weir_box boxes[WEIR_PICTURE_THIN];
    const struct weir_layer layer = {.mark = WEIR_MARK_LINE, .count = count, .x = at, .y = values};
    const struct weir_picture picture = {
        .x.label = "", .y.label = "", .layers = &layer, .layer_count = 1};
    static struct weir_plot plot;

    assert_non_null(values);
    assert_non_null(at);
    for (size_t i = 0; i < count; i++) {
        at[i] = (double)i;
        values[i] = 100 + (double)(i % 10);
    }
    values[777777] = 500;
    values[222222] = 0;
    draw(values, count, WEIR_SCALE_LINEAR);
    draw(values, count, WEIR_SCALE_LOG);
    weir_plot_open(&plot, &picture, 7, 6);
    assert_int_equal(weir_plot_marks(&plot, &layer, boxes), WEIR_PICTURE_THIN);
    assert_true(plot.has_data);
    for (unsigned i = 0; i < WEIR_PICTURE_THIN; i++) {
        if (i == (size_t)WEIR_PICTURE_THIN * 777777 / count)
            assert_float_equal(boxes[i].y1, 1.0, 1e-9);
        else
            assert_true(boxes[i].y1 < 0.3);
        assert_float_equal(boxes[i].y0, i == (size_t)WEIR_PICTURE_THIN * 222222 / count ? 0.0 : 0.2,
                           1e-9);
    }
    free(values);
    free(at);
}

/* ---- texts ---- */

#define LINES (WEIR_PICTURE_LINES + 1)
static char lines[LINES][512];

/* Draws a picture as UTF-8 into lines. Returns their number. */
static unsigned draw_lines(const struct weir_picture *picture)
{
    struct weir_text text = {0};
    unsigned count = 0;

    assert_text_fits(picture);
    weir_picture_text(picture, true, &text);
    memset(lines, 0, sizeof lines);
    for (const char *at = weir_text_string(&text); *at != '\0'; count++) {
        snprintf(lines[count], sizeof lines[count], "%.*s", (int)strcspn(at, "\n"), at);
        at += strcspn(at, "\n") + 1;
    }
    weir_text_close(&text);
    return count;
}

/* Returns the line that has a text, or fails. */
static unsigned line_of(const char *words)
{
    for (unsigned i = 0; i < LINES; i++)
        if (strstr(lines[i], words) != NULL)
            return i;
    for (unsigned i = 0; i < LINES; i++)
        print_error("%s\n", lines[i]);
    fail_msg("no line has \"%s\"", words);
    return 0;
}

/* Bars of 60 or 400 rows, of which two are odd; with two layers, the second one is half as long. */
static void make_rows(struct weir_picture *picture, struct weir_layer layers[4], unsigned count,
                      unsigned sides)
{
    static char rooms[400][2][2][16];
    static const char *names[400], *shown[2][400];

    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 2; k++) {
            snprintf(rooms[i][k][0], 16, "is %c%u.", "ab"[k], i);
            shown[k][i] = rooms[i][k][0];
        }
        snprintf(rooms[i][0][1], 16, "row %u", i);
        names[i] = rooms[i][0][1];
        x[i] = i;
        y[i] = 1000 - i;
        low[i] = y[i] / 2;
        high[i] = y[i] * 1.5;
        odd[i] = i == 30 || i == 41;
    }
    *picture = (struct weir_picture){
        .name = "x",
        .title = "rows",
        .caption = "",
        .x = {.label = "rate", .has_zero = true},
        .y = {.label = "", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = count},
        .layers = layers,
        .layer_count = sides + 1};
    for (unsigned k = 0; k < sides; k++)
        layers[k] = (struct weir_layer){.mark = WEIR_MARK_BARS,
                                        .tone = k,
                                        .count = count,
                                        .x = k == 0 ? y : low,
                                        .y = x,
                                        .is_odd = odd,
                                        .labels = shown[k]};
    layers[sides] = (struct weir_layer){
        .mark = WEIR_MARK_RANGES, .count = count, .y = x, .low = low, .high = high};
}

static void rows_of_a_text_have_lines_of_their_own(void **state)
{
    struct weir_picture picture;
    struct weir_layer layers[4];

    make_rows(&picture, layers, 60, 1);
    assert_int_equal(draw_lines(&picture), WEIR_PICTURE_LINES);
    for (unsigned i = 0; i < 5; i++) {
        static const char *const rows[][2] = {{"row 0\u2502", "is a0."},
                                              {"row 1\u2502", "is a1."},
                                              {"row 30\u2502", "is a30."},
                                              {"row 41\u2502", "is a41."},
                                              {"row 59\u2502", "is a59."}};

        assert_int_equal(line_of(rows[i][0]), line_of(rows[i][1]));
    }
    assert_null(strstr(lines[line_of("row 0\u2502")], "\u2593"));
    assert_non_null(strstr(lines[line_of("row 30\u2502")], "\u2593"));
    assert_true(line_of("row 41") < line_of("row 59"));
    assert_true(line_of("row 1\u2502") < line_of("... 50 more"));
    /* Whiskers begin at the end of a bar. */
    assert_non_null(strstr(lines[line_of("row 0\u2502")], "\u2502\u2588\u2588\u2588"));
    assert_non_null(strstr(lines[line_of("row 0\u2502")], "\u2588\u2500\u2500"));
    assert_null(strstr(lines[line_of("row 0\u2502")], "\u2500\u2588"));

    make_rows(&picture, layers, 3, 2);
    assert_int_equal(draw_lines(&picture), 3 * 2 + 3);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const names[] = {"row 0", "row 1", "row 2"};
        static const char *const words[] = {"is a0.", "is a1.", "is a2."};
        static const char *const others[] = {"is b0.", "is b1.", "is b2."};

        assert_int_equal(line_of(words[i]), 1 + 2 * i);
        assert_int_equal(line_of(others[i]), 2 + 2 * i);
        assert_in_range(line_of(names[i]), 1 + 2 * i, 2 + 2 * i);
    }
    make_rows(&picture, layers, 60, 2);
    assert_int_equal(draw_lines(&picture), WEIR_PICTURE_LINES);
    assert_int_equal(line_of("is b30."), line_of("is a30.") + 1);
}

/* All odd bars of many have a name, a label and stripes. */
static void odd_bars_of_many_are_named(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        struct weir_picture picture;
        struct weir_layer layers[4];
        struct weir_text text = {0};
        unsigned stripes = 0;

        make_rows(&picture, layers, i % 2 == 0 ? 60 : 400, 1 + i / 2);
        weir_picture_svg(&picture, false, &text);
        assert_sound(weir_text_string(&text));
        assert_non_null(strstr(text.data, ">row 30<"));
        assert_non_null(strstr(text.data, ">row 41<"));
        assert_non_null(strstr(text.data, ">is a30.<"));
        assert_non_null(strstr(text.data, ">is a41.<"));
        for (const char *at = text.data; (at = strstr(at, "\"hatch")) != NULL; at++)
            stripes++;
        assert_int_equal(stripes, 2 * (1 + i / 2));
        weir_text_close(&text);
    }
}

/* Of 1000 dots in thinned columns, odd ones are neither lost, nor is another one odd. */
static void thinned_odd_dots_remain_odd(void **state)
{
    static struct weir_box boxes[WEIR_PICTURE_THIN];
    static struct weir_plot plot;
    const struct weir_layer layer = {
        .mark = WEIR_MARK_DOTS, .count = 1000, .x = x, .y = y, .is_odd = odd};
    const struct weir_picture picture = {
        .x.label = "", .y.label = "", .layers = &layer, .layer_count = 1};
    unsigned count, found[2] = {0};

    for (unsigned i = 0; i < 1000; i++) {
        x[i] = i;
        odd[i] = i % 20 == 3;
        y[i] = odd[i] ? 5 : 1;
    }
    weir_plot_open(&plot, &picture, 7, 6);
    count = weir_plot_marks(&plot, &layer, boxes);
    for (unsigned i = 0; i < count; i++) {
        assert_float_equal(boxes[i].y0, boxes[i].y1, 1e-9);
        assert_int_equal(boxes[i].y0 > 0.5, odd[boxes[i].index]);
        found[odd[boxes[i].index]]++;
    }
    assert_int_equal(found[1], 50);
    assert_in_range(found[0], 100, WEIR_PICTURE_THIN);
}

/* Nothing is drawn between the points from 0 to 1 and those from 9 to 10, thinned or not. */
static void lines_end_at_gaps(void **state)
{
    for (unsigned count = 21; count < 1000; count += 900) {
        const struct weir_layer layer = {.mark = WEIR_MARK_LINE, .count = count, .x = x, .y = y};
        const struct weir_picture picture = {.name = "x",
                                             .title = "gap",
                                             .caption = "",
                                             .x.label = "",
                                             .y.label = "",
                                             .layers = &layer,
                                             .layer_count = 1};

        for (unsigned i = 0; i < count; i++) {
            x[i] = i < count / 2 ? i * 2.0 / count : 10 - (count - 1 - i) * 2.0 / count;
            y[i] = i == count / 2 ? NAN : i < count / 2 ? 1 : 2;
        }
        draw_lines(&picture);
        for (unsigned i = 2; i < WEIR_PICTURE_LINES - 3; i++)
            assert_null(strstr(lines[i], "\u25cf"));
    }
}

static void titles_and_names_are_cut_before_units(void **state)
{
    static const char *const names[] = {
        "first a/long/name/of/a/side.jsonl",   "second a/long/name/of/a/side.jsonl",
        "third a/long/name/of/a/side.jsonl",   "fourth a/long/name/of/a/side.jsonl",
        "fifth a/long/name/of/a/side.jsonl",   "sixth a/long/name/of/a/side.jsonl",
        "seventh a/long/name/of/a/side.jsonl", "eighth a/long/name/of/a/side.jsonl"};
    struct weir_layer layers[8];
    struct weir_picture picture = {.name = "x",
                                   .title = "a title of a program with a path that is as long as "
                                            "paths of programs are: labels over time",
                                   .caption = "",
                                   .x = {.label = "time", .quantity = WEIR_QUANTITY_SECONDS},
                                   .y = {.label = "rate", .quantity = WEIR_QUANTITY_OPS_PER_S},
                                   .layers = layers,
                                   .layer_count = 8};
    struct weir_text text = {0};

    fill(10, 0, 0, 5000);
    for (unsigned k = 0; k < 8; k++)
        layers[k] = (struct weir_layer){
            .mark = WEIR_MARK_LINE, .tone = k, .name = names[k], .count = 10, .x = x, .y = y};
    assert_int_equal(draw_lines(&picture), WEIR_PICTURE_LINES);
    assert_int_equal(line_of("rate, kops/s"), 0);
    for (unsigned k = 0; k < 8; k++) {
        char first[8];

        snprintf(first, sizeof first, "%.5s", names[k]);
        assert_in_range(line_of(first), WEIR_PICTURE_LINES - 3, WEIR_PICTURE_LINES - 1);
    }
    weir_picture_svg(&picture, true, &text);
    assert_non_null(strstr(weir_text_string(&text), "picture-title\">a title of a program"));
    assert_true(strcspn(strstr(text.data, "picture-title\">a title"), "<") < 15 + 60);
    weir_text_close(&text);
}

/* Rank 23 of 132, and its times, are seen although twelve ranks are in a line. */
static void a_slow_rank_of_many_is_seen(void **state)
{
    static double values[132 * 4];

    for (unsigned is_time = 0; is_time < 2; is_time++) {
        const struct weir_cells cells = {.rows = 132,
                                         .columns = 4,
                                         .values = values,
                                         .quantity = is_time ? WEIR_QUANTITY_SECONDS
                                                             : WEIR_QUANTITY_BYTES_PER_S,
                                         .x_high = 4,
                                         .y_high = 132};
        const struct weir_picture picture = {.name = "x",
                                             .title = "slow",
                                             .caption = "",
                                             .x.label = "",
                                             .y.label = "",
                                             .cells = &cells};

        for (unsigned i = 0; i < 132 * 4; i++)
            values[i] = (i / 4 == 23) == is_time ? 10 : 1;
        draw_lines(&picture);
        assert_non_null(strstr(lines[10], is_time ? "\u2588" : "\u00b7"));
        assert_null(strstr(lines[9], is_time ? "\u2588" : "\u00b7"));
        line_of(is_time ? "(greatest of 12)" : "(least of 12)");
    }
}

/* Rules, labels, odd marks, gaps and units are in scripts of gnuplot too. */
static void scripts_have_all_that_pictures_have(void **state)
{
    static const char *const parts[][9] = {
        {"forest", "set xlabel 'change, %'", "'5' 0.05", "$odd1 << EOD\n 0.07 3 ? ?\nEOD",
         "$odd1 using 1:2 with points pointtype 2", "set arrow from first 0, graph 0"},
        {"sweep", "set label 'limit 4.5 GB/s' at graph 1, first 4.5e+09 right",
         "set label 'knee: 88 % of the limit' at first 128, first", "set yrange [0:5.1e+09]",
         "'1024' 1024"},
        {"series", "set label 'failure' at first 120, graph 1", "set xrange [0:304.98]",
         "'4' 4e+09"},
        {"bars", "set label 'slow' at graph 1, first 0.81", "set rmargin 11",
         "$odd0 using 1:2:(0):1:($2-0.38):($2+0.00) with boxxyerror fillstyle pattern 2"},
        {"spans", "$odd0 << EOD"}};
    struct weir_picture rows;
    struct weir_layer bars[4];
    const struct weir_layer gap = {.mark = WEIR_MARK_LINE, .count = 3, .x = x, .y = y};
    const struct weir_picture picture = {.name = "x",
                                         .title = "x",
                                         .caption = "",
                                         .x.label = "",
                                         .y.label = "",
                                         .layers = &gap,
                                         .layer_count = 1};
    struct weir_text text = {0};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
            struct weir_picture drawn;
            struct weir_layer layers[4];
            struct weir_cells cells;

            if (strcmp(samples[k].name, parts[i][0]) != 0)
                continue;
            make(&samples[k], &drawn, layers, &cells);
            weir_text_clear(&text);
            weir_picture_gnuplot(&drawn, &text);
            for (unsigned j = 1; j < 9 && parts[i][j] != NULL; j++)
                if (strstr(weir_text_string(&text), parts[i][j]) == NULL)
                    fail_msg("no %s in %s", parts[i][j], weir_text_string(&text));
        }
    fill(3, 0, 0, 1);
    y[1] = NAN;
    weir_text_clear(&text);
    weir_picture_gnuplot(&picture, &text);
    assert_non_null(strstr(weir_text_string(&text), " ?\n\n 2 "));
    make_rows(&rows, bars, 60, 1);
    weir_text_clear(&text);
    weir_picture_gnuplot(&rows, &text);
    assert_non_null(strstr(weir_text_string(&text), "set terminal svg size 720,1200 "));
    weir_text_close(&text);
}

/* The label of a rule is where no line passes. */
static void labels_of_rules_are_beside_lines(void **state)
{
    static const double at[] = {1, 2, 4, 8}, rates[] = {1.1, 1.17, 1.12, 0.97}, limit[] = {1};
    static const char *const words[] = {"limit 1 GB/s"};
    const struct weir_layer layers[] = {
        {.mark = WEIR_MARK_LINE, .count = 4, .x = at, .y = rates},
        {.mark = WEIR_MARK_RULE, .count = 1, .y = limit, .labels = words}};
    const struct weir_picture picture = {.name = "x",
                                         .title = "rule",
                                         .caption = "",
                                         .x = {.label = "", .scale = WEIR_SCALE_LOG2},
                                         .y = {.label = "", .has_zero = true},
                                         .layers = layers,
                                         .layer_count = 2};
    static struct weir_box boxes[WEIR_PICTURE_THIN];
    static struct weir_plot plot;
    struct weir_text text = {0};
    double left, base, first = 8, last = 176 + 8;
    const char *label;

    weir_picture_svg(&picture, false, &text);
    label = strstr(weir_text_string(&text), "class=\"label\"");
    assert_non_null(label);
    while (strncmp(label, "<text", 5) != 0)
        label--;
    assert_int_equal(sscanf(label, "<text x=\"%lf\" y=\"%lf\"", &left, &base), 2);
    weir_plot_open(&plot, &picture, 7, 5);
    for (unsigned i = 1; i < weir_plot_marks(&plot, layers, boxes); i++)
        for (double part = 0; part <= 1; part += 0.01) {
            double place = boxes[i - 1].x0 + part * (boxes[i].x0 - boxes[i - 1].x0);
            double value = boxes[i - 1].y0 + part * (boxes[i].y0 - boxes[i - 1].y0);
            double line = last - value * (last - first), middle = 30 + place * 398;

            assert_false(middle > left && middle < left + 80 && line > base - 10 && line < base);
        }
    weir_text_close(&text);
}

/* Nothing is between the title and a plot whose y axis has no title. */
static void plots_without_a_unit_begin_below_the_title(void **state)
{
    for (unsigned has_label = 0; has_label < 2; has_label++) {
        const struct weir_layer layer = {.mark = WEIR_MARK_DOTS, .count = 2, .x = x, .y = x};
        const struct weir_picture picture = {.name = "x",
                                             .title = "x",
                                             .caption = "",
                                             .x.label = "",
                                             .y.label = has_label ? "rate" : "",
                                             .layers = &layer,
                                             .layer_count = 1};
        struct weir_text text = {0};

        fill(2, 0, 0, 1);
        weir_picture_svg(&picture, false, &text);
        assert_non_null(strstr(weir_text_string(&text), has_label ? " 24V" : " 8V"));
        weir_text_close(&text);
    }
}

static void quantities_have_three_digits_and_a_unit(void **state)
{
    static const struct {
        enum weir_quantity quantity;
        double value;
        const char *text;
    } rows[] = {{WEIR_QUANTITY_BYTES_PER_S, 2.0936e9, "2.09 GB/s"},
                {WEIR_QUANTITY_BYTES_PER_S, 999.7e6, "1.00 GB/s"},
                {WEIR_QUANTITY_OPS_PER_S, 31912, "31.9 kops/s"},
                {WEIR_QUANTITY_SECONDS, 1e-9, "1 ns"},
                {WEIR_QUANTITY_SECONDS, 0.0123, "12.3 ms"},
                {WEIR_QUANTITY_SECONDS, 5400, "90 min"},
                {WEIR_QUANTITY_BYTES, 65536, "64 KiB"},
                {WEIR_QUANTITY_SHARE, 0.123, "12.3 %"},
                {WEIR_QUANTITY_NUMBER, 1024, "1024"},
                {WEIR_QUANTITY_NUMBER, 0, "0"},
                {WEIR_QUANTITY_BYTES_PER_S, NAN, "none"},
                {WEIR_QUANTITY_SHARE, -0.5, "-50 %"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_text text = {0};

        weir_quantity_add(&text, rows[i].quantity, rows[i].value);
        assert_string_equal(weir_text_string(&text), rows[i].text);
        weir_text_close(&text);
    }
}

static void texts_are_escaped(void **state)
{
    struct weir_text text = {0};

    weir_xml_add(&text, "a<b>&\"'\x01\xc3\xa4\xff\xed\xa0\x80\xef\xbf\xbf");
    assert_string_equal(weir_text_string(&text),
                        "a&lt;b&gt;&amp;&quot;'\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd"
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    weir_text_close(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_picture_is_as_before),
        cmocka_unit_test(hostile_values_are_drawn_or_left_out),
        cmocka_unit_test(equal_values_are_drawn_between_different_ticks),
        cmocka_unit_test(a_million_points_keep_their_least_and_greatest),
        cmocka_unit_test(rows_of_a_text_have_lines_of_their_own),
        cmocka_unit_test(odd_bars_of_many_are_named),
        cmocka_unit_test(thinned_odd_dots_remain_odd),
        cmocka_unit_test(lines_end_at_gaps),
        cmocka_unit_test(titles_and_names_are_cut_before_units),
        cmocka_unit_test(a_slow_rank_of_many_is_seen),
        cmocka_unit_test(scripts_have_all_that_pictures_have),
        cmocka_unit_test(labels_of_rules_are_beside_lines),
        cmocka_unit_test(plots_without_a_unit_begin_below_the_title),
        cmocka_unit_test(quantities_have_three_digits_and_a_unit),
        cmocka_unit_test(texts_are_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
