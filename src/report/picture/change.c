/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a comparison: the change of each case with its range, and the rates of all sides. */
#include "compare/compare.h"
#include "picture/pictures.h"

#include <math.h>
#include <string.h>

/* "A: before.jsonl", by the label of its first run, or by its file; with --by "filesystem ext4". */
static const char *name_side(struct weir_pictures *set, const struct weir_comparison_table *table,
                             unsigned side)
{
    for (unsigned k = 0; k < table->key_count && table->request->by != NULL; k++)
        if (strcmp(table->keys[k].name, table->request->by) == 0)
            return weir_arena_printf(&set->arena, "%s %s", table->keys[k].name,
                                     table->keys[k].values[side]);
    for (unsigned i = 0; i < table->run_count; i++) {
        const char *source = table->runs[i]->source, *label = table->runs[i]->label;
        const char *slash = strrchr(source, '/');

        if (table->run_groups[i] == (int)side)
            return weir_arena_printf(&set->arena, "%c: %s", (int)('A' + side),
                                     label[0] != '\0' ? label
                                     : slash != NULL  ? slash + 1
                                                      : source);
    }
    return side ? "B" : "A";
}

/* "write 1m", without the figure if all cases are compared by it, and without the value of the
 * other side, which names of lines have with several sides. */
static const char *name_case(struct weir_pictures *set, const struct weir_comparison_table *table,
                             const struct weir_compare_line *line)
{
    const struct weir_compare_request *request = table->request;
    const char *name = line->name, *side, *at, *last = NULL;

    if (request->figures != NULL && strchr(request->figures, ',') == NULL)
        name += strlen(line->figure->name) + strlen(" of ");
    if (table->group_count > 2) {
        side = name_side(set, table, (unsigned)line->b->group) + strlen(request->by);
        side = weir_arena_printf(&set->arena, ",%s", side);
        for (at = name; (at = strstr(at, side)) != NULL; at++)
            last = at;
        if (last != NULL)
            name = weir_arena_printf(&set->arena, "%.*s%s", (int)(last - name), name,
                                     last + strlen(side));
    }
    return weir_pictures_short(set, name);
}

static void note_verdicts(struct weir_pictures *set, const struct weir_compare_line *line)
{
    weir_verdict_note(set, line->a->phase->believed);
    weir_verdict_note(set, line->b->phase->believed);
}

static void add_changes(struct weir_pictures *set, const struct weir_comparison_table *table)
{
    unsigned sides = table->group_count, count = table->judged.count, shown = 0;
    const char **names = weir_arena_take(&set->arena, (count + 1) * sizeof *names);
    struct weir_points ranges, dots;

    weir_pictures_add(set, "change", "",
                      sides > 2
                          ? weir_arena_printf(&set->arena, "%s to others", name_side(set, table, 0))
                          : "A to B");
    ranges = weir_layer_add(set, WEIR_MARK_RANGES, 0, "95 % range", count);
    dots = weir_layer_add(set, WEIR_MARK_DOTS, 0, "change of the median", count);
    for (unsigned i = 0; i < count && shown < WEIR_PICTURE_CASES; i++) {
        const struct weir_compare_row *row = &table->judged.rows[i];
        const struct weir_compare_line *line = &table->lines[i];

        if (!(row->ratio > 0) || row->verdict == WEIR_COMPARE_NOT_COMPARABLE)
            continue;
        note_verdicts(set, line);
        names[shown] = name_case(set, table, line);
        if (sides > 2)
            names[shown] =
                weir_arena_printf(&set->arena, "%s, %s",
                                  name_side(set, table, (unsigned)line->b->group), names[shown]);
        ranges.y[shown] = dots.y[shown] = shown;
        dots.x[shown] = row->ratio - 1;
        dots.is_odd[shown] = weir_compare_is_loss(&table->judged, row);
        ranges.low[shown] = row->has_range ? row->ratio_low - 1 : NAN;
        ranges.high[shown] = row->has_range ? row->ratio_high - 1 : NAN;
        shown++;
    }
    weir_pictures_limit(set, count, shown, "case");
    ranges.layer->count = dots.layer->count = shown;
    set->latest->y = weir_axis_of_names("", names, shown);
    weir_rule_add(set, false, WEIR_TONE_REFERENCE, NULL, 0, NULL);
    weir_rule_add(set, false, WEIR_TONE_ODD, "limit", -table->judged.limit, NULL);
    weir_rule_add(set, false, WEIR_TONE_ODD, NULL, table->judged.limit, NULL);
}

static struct weir_bar bar_of(const struct weir_compare_group *group)
{
    struct weir_bar bar = {
        .value = group->count > 0 ? group->median : NAN, .low = NAN, .high = NAN};

    for (unsigned i = 0; i < group->count; i++) {
        bar.low = fmin(bar.low, group->values[i]);
        bar.high = fmax(bar.high, group->values[i]);
    }
    return bar;
}

/* The rates or times of the first sides, of cases that are compared by one of this unit. */
static void add_sides(struct weir_pictures *set, const struct weir_comparison_table *table,
                      const char *unit)
{
    unsigned sides =
        table->group_count < WEIR_PICTURE_SIDES_MAX ? table->group_count : WEIR_PICTURE_SIDES_MAX;
    unsigned all = table->judged.count, compared = 0, drawn = 0, count = 0;
    struct weir_bar *bars = weir_arena_take(&set->arena, (size_t)sides * all * sizeof *bars);
    const struct weir_compare_line **firsts = weir_arena_take(&set->arena, all * sizeof *firsts);
    enum weir_quantity quantity = weir_pictures_quantity(unit);

    for (size_t i = 0; i < (size_t)sides * all; i++)
        bars[i].value = NAN;
    for (unsigned i = 0; i < all; i++) {
        const struct weir_compare_row *row = &table->judged.rows[i];
        const struct weir_compare_line *line = &table->lines[i];
        unsigned k = 0, side = (unsigned)line->b->group;
        struct weir_bar *a, *b;

        if (strcmp(line->figure->unit, unit) != 0)
            continue;
        if (compared++ == 0)
            weir_pictures_add(set, quantity == WEIR_QUANTITY_SECONDS ? "times" : "sides",
                              quantity == WEIR_QUANTITY_OPS_PER_S ? "ops" : "",
                              sides > 2 ? "all sides" : "A and B");
        if (side >= sides)
            continue;
        /* With --by, each side but the first has a line for the case. */
        while (k < count && (firsts[k]->a != line->a || firsts[k]->figure != line->figure))
            k++;
        firsts[k] = line;
        count += k == count;
        drawn++;
        note_verdicts(set, line);
        a = &bars[k];
        b = &bars[side * all + k];
        *a = bar_of(&row->a);
        *b = bar_of(&row->b);
        a->name = name_case(set, table, line);
        a->is_odd = b->is_odd = row->verdict == WEIR_COMPARE_NOT_COMPARABLE;
    }
    if (compared == 0)
        return;
    weir_pictures_limit(set, compared, drawn, "comparison");
    set->latest->x.quantity = quantity;
    for (unsigned side = 0; side < sides; side++)
        weir_bars_add(set, side, sides, name_side(set, table, side), &bars[side * all], count);
}

void weir_pictures_open_comparison(struct weir_pictures *set,
                                   const struct weir_comparison_table *table)
{
    static const char *const units[] = {"bytes/s", "1/s", "s"};

    *set = (struct weir_pictures){0};
    if (table->judged.count > 0)
        add_changes(set, table);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        add_sides(set, table, units[i]);
    set->first_folded = set->count;
    weir_pictures_finish(set);
}
