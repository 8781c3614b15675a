/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a comparison: the change of each case with its range, and the rates of both sides. */
#include "compare/compare.h"
#include "picture/pictures.h"

#include <math.h>
#include <string.h>

#define CASES_MAX 64 /* in one picture */

/* "write 1m"; with the figure, as in "p99 of write 1m", where cases are compared by several. */
static const char *name_of(const struct weir_comparison_table *table, unsigned i)
{
    const struct weir_compare_line *line = &table->lines[i];
    size_t length = strlen(line->figure->name);

    for (unsigned k = 0; k < table->judged.count; k++)
        if (table->lines[k].figure != line->figure)
            return line->name;
    return strncmp(line->name, line->figure->name, length) == 0 &&
                   strncmp(line->name + length, " of ", 4) == 0
               ? line->name + length + 4
               : line->name;
}

/* "A: before.jsonl", by the label of its first run, or by its file. */
static const char *name_of_side(struct weir_pictures *pictures,
                                const struct weir_comparison_table *table, int side)
{
    for (unsigned i = 0; i < table->run_count; i++) {
        const char *source = table->runs[i]->source, *label = table->runs[i]->label;
        const char *slash = strrchr(source, '/');

        if (table->run_groups[i] == side)
            return weir_arena_printf(&pictures->arena, "%s: %s", side ? "B" : "A",
                                     label[0] != '\0' ? label
                                     : slash != NULL  ? slash + 1
                                                      : source);
    }
    return side ? "B" : "A";
}

static void add_changes(struct weir_pictures *pictures, const struct weir_comparison_table *table)
{
    unsigned count = table->judged.count < CASES_MAX ? table->judged.count : CASES_MAX, shown = 0;
    const char **names = weir_arena_take(&pictures->arena, (count + 1) * sizeof *names);
    struct weir_picture *picture = weir_pictures_add(
        pictures, "change", "", 4, "Change from A to B, with its 95 % range",
        "To the right B has more: of a rate it is faster, of a time it is slower. A cross marks a "
        "loss "
        "beyond the limit, which the dotted lines are. A range across 0 is no difference.");
    struct weir_points ranges, dots, rules;

    if (picture == NULL)
        return;
    picture->x = (struct weir_axis){.label = "change", .quantity = WEIR_QUANTITY_SHARE};
    ranges = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RANGES, 0, "95 % range", count,
                                     WEIR_HAS_Y | WEIR_HAS_RANGE);
    dots = weir_pictures_add_layer(pictures, picture, WEIR_MARK_DOTS, 0, "change of the median",
                                   count, WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_ODD);
    for (unsigned i = 0; i < count; i++) {
        const struct weir_compare_row *row = &table->judged.rows[i];

        if (!(row->ratio > 0) || row->verdict == WEIR_COMPARE_NOT_COMPARABLE)
            continue;
        names[shown] = name_of(table, i);
        ranges.y[shown] = dots.y[shown] = shown;
        dots.x[shown] = row->ratio - 1;
        dots.is_odd[shown] = weir_compare_is_loss(&table->judged, row);
        ranges.low[shown] = row->has_range ? row->ratio_low - 1 : NAN;
        ranges.high[shown] = row->has_range ? row->ratio_high - 1 : NAN;
        shown++;
    }
    ranges.layer->count = dots.layer->count = shown;
    picture->y = (struct weir_axis){
        .label = "", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = shown};
    rules = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RULE, WEIR_TONE_REFERENCE, NULL, 1,
                                    WEIR_HAS_X);
    rules = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RULE, WEIR_TONE_ODD, "limit", 2,
                                    WEIR_HAS_X);
    rules.x[0] = -table->judged.limit;
    rules.x[1] = table->judged.limit;
}

static void extend(double *low, double *high, const struct weir_compare_group *group)
{
    *low = *high = NAN;
    for (unsigned i = 0; i < group->count && group->count > 1; i++) {
        *low = fmin(*low, group->values[i]);
        *high = fmax(*high, group->values[i]);
    }
}

/* The rates or times of A and B, of cases that are compared by one of this unit. */
static void add_sides(struct weir_pictures *pictures, const struct weir_comparison_table *table,
                      const char *unit, enum weir_quantity quantity)
{
    unsigned count = table->judged.count, shown = 0;
    const char **names = weir_arena_take(&pictures->arena, (count + 1) * sizeof *names);
    struct weir_points bars[2], ranges[2];
    struct weir_picture *picture;

    for (unsigned i = 0; i < count; i++)
        shown += strcmp(table->lines[i].figure->unit, unit) == 0;
    if (shown == 0)
        return;
    picture = weir_pictures_add(
        pictures, quantity == WEIR_QUANTITY_SECONDS ? "times" : "sides",
        quantity == WEIR_QUANTITY_OPS_PER_S ? "ops" : "", 4,
        quantity == WEIR_QUANTITY_SECONDS ? "Times of A and B" : "Rates of A and B",
        "Medians of repetitions, with the least and the greatest. Hatched ones are "
        "not comparable.");
    if (picture == NULL)
        return;
    picture->x = (struct weir_axis){.label = quantity == WEIR_QUANTITY_SECONDS ? "time" : "rate",
                                    .quantity = quantity,
                                    .has_zero = true};
    for (unsigned side = 0; side < 2; side++)
        bars[side] = weir_pictures_add_layer(
            pictures, picture, WEIR_MARK_BARS, side, name_of_side(pictures, table, (int)side),
            shown, WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS | WEIR_HAS_ODD);
    for (unsigned side = 0; side < 2; side++)
        ranges[side] =
            weir_pictures_add_layer(pictures, picture, WEIR_MARK_RANGES, WEIR_TONE_REFERENCE, NULL,
                                    shown, WEIR_HAS_Y | WEIR_HAS_RANGE);
    shown = 0;
    for (unsigned i = 0; i < count && shown < CASES_MAX; i++) {
        const struct weir_compare_row *row = &table->judged.rows[i];

        if (strcmp(table->lines[i].figure->unit, unit) != 0)
            continue;
        names[shown] = name_of(table, i);
        for (unsigned side = 0; side < 2; side++) {
            const struct weir_compare_group *group = side ? &row->b : &row->a;

            bars[side].y[shown] = shown;
            bars[side].is_odd[shown] = row->verdict == WEIR_COMPARE_NOT_COMPARABLE;
            ranges[side].y[shown] = shown + (side ? 0.19 : -0.19);
            bars[side].x[shown] = group->count > 0 ? group->median : NAN;
            extend(&ranges[side].low[shown], &ranges[side].high[shown], group);
            bars[side].labels[shown] = weir_pictures_text(pictures, quantity, bars[side].x[shown]);
        }
        shown++;
    }
    for (unsigned side = 0; side < 2; side++)
        bars[side].layer->count = ranges[side].layer->count = shown;
    picture->y = (struct weir_axis){
        .label = "", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = shown};
}

void weir_pictures_open_comparison(struct weir_pictures *pictures,
                                   const struct weir_comparison_table *table)
{
    *pictures = (struct weir_pictures){0};
    if (table->judged.count > 0)
        add_changes(pictures, table);
    add_sides(pictures, table, "bytes/s", WEIR_QUANTITY_BYTES_PER_S);
    add_sides(pictures, table, "1/s", WEIR_QUANTITY_OPS_PER_S);
    add_sides(pictures, table, "s", WEIR_QUANTITY_SECONDS);
}
