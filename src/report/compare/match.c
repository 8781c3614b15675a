/* SPDX-License-Identifier: Apache-2.0 */
/* Which phases of A and B are the same work, and what they are compared in. */
#include "compare.h"

#include "weir/base/log.h"
#include "weir/base/nearest.h"
#include "weir/measure/median.h"
#include "weir/plan/plan.h"
#include "weir/report/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- keys ---- */

/* Keys besides tags. `offset` is that in the phase, or in its run. */
struct fact {
    const char *name;
    size_t offset;
    bool is_of_run, is_of_sample, is_number, is_matched;
};
#define PHASE_FACT(member, ...)                                                                    \
    {                                                                                              \
        .name = #member, .offset = offsetof(struct weir_measured_phase, member), __VA_ARGS__       \
    }
#define RUN_FACT(member, ...)                                                                      \
    {                                                                                              \
        .name = #member, .offset = offsetof(struct weir_measured_run, member), .is_of_run = true,  \
        __VA_ARGS__                                                                                \
    }
static const struct fact facts[] = {
    PHASE_FACT(filesystem, .is_matched = true),
    PHASE_FACT(target, .is_matched = true),
    PHASE_FACT(transport, .is_matched = true),
    PHASE_FACT(ranks, .is_matched = true, .is_number = true),
    PHASE_FACT(nodes, .is_matched = true, .is_number = true),
    RUN_FACT(label, .is_matched = true),
    RUN_FACT(kernel, .is_matched = true),
    RUN_FACT(version, .is_matched = true),
    RUN_FACT(mpi_library, .is_matched = true),
    PHASE_FACT(storage),
    PHASE_FACT(options),
    RUN_FACT(distribution),
    RUN_FACT(cpu_model),
    RUN_FACT(hosts),
    {.name = "cpus", .offset = offsetof(struct weir_compare_sample, cpus), .is_of_sample = true},
    RUN_FACT(governor),
    RUN_FACT(transparent_huge_pages),
    RUN_FACT(memory_limit),
    RUN_FACT(container),
    RUN_FACT(hypervisor),
    RUN_FACT(clock_source),
    RUN_FACT(command),
};

const char *weir_compare_work(struct weir_arena *arena, const char *command)
{
    static const char *const names[] = {"--result", "--label", "--set"};
    struct weir_text text = {0};
    const char *copy;
    bool is_value = false;

    for (size_t length; *command != '\0'; command += length + strspn(command + length, " ")) {
        bool is_left_out = is_value;

        length = strcspn(command, " ");
        is_value = false;
        for (size_t i = 0; i < COUNT(names) && !is_left_out; i++) {
            size_t own = strlen(names[i]);

            is_value = length == own && strncmp(command, names[i], own) == 0;
            is_left_out = is_value || (length > own && command[own] == '=' &&
                                       strncmp(command, names[i], own) == 0);
        }
        if (!is_left_out)
            weir_text_add(&text, "%s%.*s", text.length > 0 ? " " : "", (int)length, command);
    }
    copy = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

/* Files of older versions have tags with names of facts. */
static const char *name_tag(struct weir_arena *arena, const char *key)
{
    return weir_text_list_has(WEIR_COMPARE_KEYS, key) ? weir_arena_printf(arena, "tag.%s", key)
                                                      : key;
}

static const char *value_of(struct weir_arena *arena, const struct weir_compare_sample *sample,
                            const struct weir_compare_key *key, size_t number)
{
    const struct weir_measured_phase *phase = sample->phase;
    const char *member;
    const char *text;

    if (number < COUNT(facts)) {
        const struct fact *fact = &facts[number];

        member = (fact->is_of_run      ? (const char *)phase->run
                  : fact->is_of_sample ? (const char *)sample
                                       : (const char *)phase) +
                 fact->offset;
        if (fact->is_number)
            return weir_arena_printf(arena, "%u", *(const unsigned *)(const void *)member);
        text = *(const char *const *)(const void *)member;
        if (text != NULL && strcmp(fact->name, "command") == 0)
            return weir_compare_work(arena, text);
        return text != NULL ? text : "";
    }
    for (size_t i = 0; i < phase->run->tag_count; i++)
        if (strcmp(name_tag(arena, phase->run->tags[i].key), key->name) == 0)
            return phase->run->tags[i].value;
    return "";
}

static struct weir_compare_key *find_key(struct weir_comparison_table *table, const char *name,
                                         size_t length)
{
    for (unsigned i = 0; i < table->key_count; i++)
        if (strlen(table->keys[i].name) == length &&
            strncmp(table->keys[i].name, name, length) == 0)
            return &table->keys[i];
    return NULL;
}

/* The same for an option, as an error if there is no such key. */
static struct weir_compare_key *need_key(struct weir_comparison_table *table, const char *option,
                                         const char *name, size_t length, struct weir_error *error)
{
    struct weir_compare_key *key = find_key(table, name, length);
    struct weir_text names = {0};

    for (unsigned i = 0; key == NULL && i < table->key_count; i++)
        weir_text_add(&names, "%s%s", i > 0 ? ", " : "", table->keys[i].name);
    if (key == NULL)
        weir_error_usage(error, "compare", "%s: the runs have no key \"%.*s\"; keys are %s", option,
                         (int)length, name, weir_text_string(&names));
    weir_text_close(&names);
    return key;
}

/* Keys are those of the table above and all tags. */
static int set_keys(struct weir_comparison_table *table, struct weir_error *error)
{
    const char *across = table->request->across, *by = table->request->by;
    size_t tags = 0;

    for (unsigned i = 0; i < table->run_count; i++)
        tags += table->runs[i]->tag_count;
    table->keys = weir_arena_take(&table->arena, (COUNT(facts) + tags) * sizeof *table->keys);
    for (size_t i = 0; i < COUNT(facts); i++)
        table->keys[table->key_count++] =
            (struct weir_compare_key){.name = facts[i].name, .is_matched = facts[i].is_matched};
    for (unsigned i = 0; i < table->run_count; i++)
        for (size_t k = 0; k < table->runs[i]->tag_count; k++) {
            const char *name = name_tag(&table->arena, table->runs[i]->tags[k].key);

            if (find_key(table, name, strlen(name)) == NULL)
                table->keys[table->key_count++] =
                    (struct weir_compare_key){.name = name, .is_matched = true};
        }
    while (across != NULL && *across != '\0') {
        size_t length = strcspn(across, ",");
        struct weir_compare_key *key = need_key(table, "--across", across, length, error);

        if (key == NULL)
            return -EINVAL;
        key->is_across = true;
        across += length + (across[length] == ',');
    }
    return by == NULL || need_key(table, "--by", by, strlen(by), error) != NULL ? 0 : -EINVAL;
}

/* Room for one more element after `count`. Elements move whenever `count` is a power of two. */
static void *grow(struct weir_arena *arena, void *elements, unsigned count, size_t bytes)
{
    void *more;

    if ((count & (count - 1)) != 0)
        return elements;
    more = weir_arena_take(arena, (count > 0 ? 2 * (size_t)count : 1) * bytes);
    if (count > 0)
        memcpy(more, elements, count * bytes);
    return more;
}

/* ---- samples ---- */

static bool is_same_run(const struct weir_measured_run *a, const struct weir_measured_run *b)
{
    return strcmp(a->run_id, b->run_id) == 0 &&
           (a->run_id[0] != '\0' || (a->number == b->number && a->begun_s == b->begun_s));
}

/* Phases that failed before they had a rate are kept, so that their row is not comparable. */
static bool is_compared(const struct weir_measured_phase *phase)
{
    const struct weir_phase *planned = phase->planned;

    return phase->is_timed ||
           (planned != NULL && phase->outcome != WEIR_OUTCOME_SKIPPED && phase->part[0] == '\0' &&
            !planned->is_check && !planned->is_prefill && planned->verb != WEIR_REMOVE);
}

static const char *cpus_of(struct weir_arena *arena, const struct weir_phase_result *found)
{
    struct weir_text text = {0};
    const char *copy;

    for (unsigned i = 0; found != NULL && found->node_places != NULL && i < found->node_count; i++)
        if (i > 0 && !weir_cpu_set_equals(&found->node_places[i].cpus, &found->node_places[0].cpus))
            return "mixed";
    if (found != NULL && found->node_places != NULL && found->node_count > 0)
        weir_cpu_set_format(&found->node_places[0].cpus, &text);
    copy = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

/* The plan of a phase. Its text is kept, once for each case, as runs lose their plans. */
static const char *plan_of(struct weir_comparison_table *table,
                           const struct weir_measured_phase *phase)
{
    struct weir_text text = {0};
    const char *copy;

    if (phase->planned == NULL || phase->run->plan == NULL)
        return NULL;
    for (unsigned i = 0; i < table->sample_count; i++)
        if (strcmp(table->samples[i].phase->case_id, phase->case_id) == 0)
            return table->samples[i].plan;
    weir_plan_explain_case(phase->run->plan->tests[phase->test], phase->planned, &text);
    copy = weir_arena_copy(&table->arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

static void add_samples(struct weir_comparison_table *table, const struct weir_measured_run *run,
                        int group)
{
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        unsigned n = table->sample_count;
        const char *plan;

        if (!is_compared(phase))
            continue;
        plan = plan_of(table, phase);
        table->samples = grow(&table->arena, table->samples, n, sizeof *table->samples);
        table->samples[table->sample_count++] = (struct weir_compare_sample){
            .phase = phase,
            .figure = weir_measured_default(phase),
            .plan = plan,
            .cpus = cpus_of(&table->arena, phase->found),
            .measure =
                run->plan != NULL ? run->plan->tests[phase->test]->measure : WEIR_MEASURE_STORAGE,
            .group = group,
            .order = n,
        };
    }
}

/* A run that is named twice counts once; one on both sides is refused. */
static int add_run(struct weir_comparison_table *table, const struct weir_measured_run *run,
                   int group, struct weir_error *error)
{
    unsigned n = table->run_count;

    for (unsigned i = 0; i < n; i++) {
        if (!is_same_run(table->runs[i], run))
            continue;
        if (table->run_groups[i] == group || group == WEIR_COMPARE_EARLIER)
            return 0;
        return weir_error_usage(error, "compare",
                                "run %s of %s is in A and in B: a run has no difference from "
                                "itself; give other files, --label or --run",
                                run->run_id, run->source);
    }
    table->runs = grow(&table->arena, table->runs, n, sizeof *table->runs);
    table->run_groups = grow(&table->arena, table->run_groups, n, sizeof *table->run_groups);
    table->runs[n] = run;
    table->run_groups[table->run_count++] = group;
    add_samples(table, run, group);
    return 0;
}

static int read_runs(struct weir_comparison_table *table, const struct weir_compare_source *source,
                     unsigned reader, int group, struct weir_error *error)
{
    struct weir_measures_query *query = weir_arena_take(&table->arena, sizeof *query);
    const struct weir_measured_run *run;
    unsigned before = table->run_count;
    int code;

    *query = (struct weir_measures_query){.paths = source->paths,
                                          .path_count = source->path_count,
                                          .run = source->run,
                                          .label = source->label,
                                          .redaction = table->redaction};
    table->readers[reader] = weir_measures_open(query);
    while ((code = weir_measures_next(table->readers[reader], &run, error)) > 0)
        if ((code = add_run(table, run, group, error)) != 0)
            break;
    for (const char *line = weir_measures_damage(table->readers[reader]); *line != '\0';) {
        int length = (int)strcspn(line, "\n");

        weir_log(WEIR_LOG_WARNING, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
    if (code == 0 && table->run_count == before && group != WEIR_COMPARE_EARLIER)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENODATA, source->paths[0],
                              "has no run%s%s", source->label != NULL ? " with the label " : "",
                              source->label != NULL ? source->label : "");
    return code;
}

/* ---- the match ---- */

/* With --by, the values of its key are the groups, in the order in which they were read. */
static int set_groups(struct weir_comparison_table *table, struct weir_error *error)
{
    static const char several[] = "\n"; /* no value of a key */
    const char *by = table->request->by;
    struct weir_compare_key *key = by != NULL ? find_key(table, by, strlen(by)) : NULL;
    size_t number = key != NULL ? (size_t)(key - table->keys) : 0;
    const char **values =
        weir_arena_take(&table->arena, (table->sample_count + 1) * sizeof *values);

    table->group_count = by != NULL ? 0 : 2;
    for (unsigned i = 0; by != NULL && i < table->sample_count; i++) {
        struct weir_compare_sample *sample = &table->samples[i];
        unsigned group = 0;

        if (sample->group == WEIR_COMPARE_EARLIER)
            continue;
        while (group < table->group_count && strcmp(values[group], sample->values[number]) != 0)
            group++;
        if (group == table->group_count)
            values[table->group_count++] = sample->values[number];
        sample->group = (int)group;
    }
    if (by != NULL && table->group_count < 2)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENODATA, "compare",
                              "--by %s: all runs have the value \"%s\", and there is nothing to "
                              "compare",
                              by, table->group_count > 0 ? values[0] : "");

    for (unsigned k = 0; k < table->key_count; k++) {
        struct weir_compare_key *one = &table->keys[k];
        bool is_single = true, differs = false;

        one->values = weir_arena_take(&table->arena, table->group_count * sizeof *one->values);
        for (unsigned i = 0; i < table->sample_count; i++) {
            const struct weir_compare_sample *sample = &table->samples[i];
            const char **value = &one->values[sample->group < 0 ? 0 : sample->group];

            if (sample->group >= 0 && *value == NULL)
                *value = sample->values[k];
            else if (sample->group >= 0 && strcmp(*value, sample->values[k]) != 0)
                *value = several;
        }
        for (unsigned g = 0; g < table->group_count; g++) {
            one->values[g] = one->values[g] == several ? NULL : one->values[g];
            is_single &= one->values[g] != NULL;
            differs |= is_single && strcmp(one->values[g], one->values[0]) != 0;
        }
        one->is_compared = is_single && differs && (one->is_matched || one == key);
    }
    return 0;
}

static void set_match(struct weir_comparison_table *table, struct weir_compare_sample *sample)
{
    struct weir_text match = {0}, across = {0};

    weir_text_add(&match, "%s\n%s\n%s", sample->phase->case_id, sample->phase->part,
                  sample->phase->name);
    for (unsigned k = 0; k < table->key_count; k++) {
        const struct weir_compare_key *key = &table->keys[k];

        if (key->is_across && !key->is_compared)
            weir_text_add(&across, "%s%s=%s", across.length > 0 ? " " : "", key->name,
                          sample->values[k]);
        else if (key->is_matched && !key->is_compared)
            weir_text_add(&match, "\n%s", sample->values[k]);
    }
    sample->match = weir_arena_copy(&table->arena, weir_text_string(&match));
    sample->across = weir_arena_copy(&table->arena, weir_text_string(&across));
    weir_text_close(&match);
    weir_text_close(&across);
}

/* By match, group, value of --across, and time. */
static int order_samples(const void *one, const void *other)
{
    const struct weir_compare_sample *a = one, *b = other;
    int order = strcmp(a->match, b->match);

    if (order == 0)
        order = (a->group > b->group) - (a->group < b->group);
    if (order == 0)
        order = strcmp(a->across, b->across);
    if (order == 0)
        order = (a->phase->begun_s > b->phase->begun_s) - (a->phase->begun_s < b->phase->begun_s);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* ---- rows ---- */

/* Samples of one side of a row, in the order they ran. */
struct span {
    const struct weir_compare_sample *samples;
    unsigned count;
};

/* The values of a figure. Phases that --resume copied from an earlier run count once. */
static struct weir_compare_group values_of(struct weir_arena *arena, const struct span *span,
                                           const char *figure)
{
    double *values = weir_arena_take(arena, (span->count + 1) * sizeof *values);
    struct weir_compare_group group = {.values = values};
    const struct weir_measured_run *run = NULL;

    for (unsigned i = 0; i < span->count; i++) {
        const struct weir_measured_phase *phase = span->samples[i].phase;
        const struct weir_measured_figure *found = weir_measured_find(phase, figure);

        if (found == NULL || !(found->value > 0) ||
            (i > 0 && phase->run != span->samples[i - 1].phase->run &&
             phase->begun_s == span->samples[i - 1].phase->begun_s))
            continue;
        values[group.count++] = found->value;
        group.run_count += run != phase->run;
        run = phase->run;
    }
    return group;
}

/* The median of each earlier run. */
static void set_earlier(struct weir_arena *arena, struct weir_compare_row *row,
                        const struct span *earlier, const char *figure)
{
    double *medians = weir_arena_take(arena, (earlier->count + 1) * sizeof *medians);

    row->earlier = medians;
    for (unsigned i = 0, next; i < earlier->count; i = next) {
        struct span run = {.samples = earlier->samples + i};
        struct weir_compare_group group;

        for (next = i; next < earlier->count &&
                       earlier->samples[next].phase->run == earlier->samples[i].phase->run;
             next++)
            run.count++;
        group = values_of(arena, &run, figure);
        if (group.count > 0)
            medians[row->earlier_count++] =
                weir_median_sort((double *)(uintptr_t)group.values, group.count);
    }
}

/* Why the figures of a side cannot be used; NULL = they can. */
static const char *find_obstacle(struct weir_arena *arena, const struct span sides[2],
                                 const char *figure)
{
    const enum weir_measure measure = sides[0].samples[0].measure;
    bool may_be_void = measure != WEIR_MEASURE_STORAGE && measure == sides[1].samples[0].measure;

    for (unsigned side = 0; side < 2; side++) {
        bool has_figure = false;

        for (unsigned i = 0; i < sides[side].count; i++) {
            const struct weir_measured_phase *phase = sides[side].samples[i].phase;
            int length = (int)strcspn(phase->findings, ";");

            has_figure |= weir_measured_find(phase, figure) != NULL;
            if (phase->believed == WEIR_BELIEVED_WRONG_DATA ||
                phase->believed == WEIR_BELIEVED_PARTIAL ||
                (phase->believed == WEIR_BELIEVED_DO_NOT_USE && !may_be_void))
                return weir_arena_printf(arena, "%c is %s%s%.*s", 'A' + (int)side,
                                         weir_believed_names[phase->believed],
                                         length > 0 ? ": " : "", length, phase->findings);
        }
        if (!has_figure)
            return weir_arena_printf(arena, "%c has no %s", 'A' + (int)side, figure);
    }
    return NULL;
}

static enum weir_compare_kind kind_of(const struct weir_figure_row *figure)
{
    if (figure->kind == WEIR_FIGURE_RATE)
        return strcmp(figure->unit, "bytes/s") == 0 ? WEIR_COMPARE_RATES : WEIR_COMPARE_OPERATIONS;
    return WEIR_COMPARE_LATENCIES;
}

static void add_line(struct weir_comparison_table *table, const struct span sides[2],
                     const struct span *earlier, const struct weir_figure_row *figure)
{
    struct weir_arena *arena = &table->arena;
    unsigned n = table->judged.count++;
    struct weir_compare_line *line;

    table->lines = grow(arena, table->lines, n, sizeof *table->lines);
    line = &table->lines[n];
    *line = (struct weir_compare_line){.a = sides[0].samples,
                                       .b = sides[1].samples,
                                       .figure = figure,
                                       .obstacle = find_obstacle(arena, sides, figure->name)};
    line->row = (struct weir_compare_row){.kind = kind_of(figure),
                                          .is_lower_better = !figure->is_more_better,
                                          .is_excluded = line->obstacle != NULL,
                                          .a = values_of(arena, &sides[0], figure->name),
                                          .b = values_of(arena, &sides[1], figure->name)};
    set_earlier(arena, &line->row, earlier, figure->name);
}

/* A row per figure that both or one of the sides has. */
static void add_lines(struct weir_comparison_table *table, const struct span sides[2],
                      const struct span *earlier)
{
    const char *name = table->request->figures;

    if (name == NULL)
        add_line(table, sides, earlier, sides[0].samples[0].figure);
    while (name != NULL && *name != '\0') {
        int length = (int)strcspn(name, ",");
        const char *copy = weir_arena_printf(&table->arena, "%.*s", length, name);
        bool has_figure = false;

        for (unsigned side = 0; side < 2; side++)
            has_figure |= values_of(&table->arena, &sides[side], copy).count > 0;
        if (has_figure)
            add_line(table, sides, earlier, weir_figure_find(copy));
        name += length + (name[length] == ',');
    }
}

/* Keys in which the nearest sample of the group differs. */
static const char *find_hint(struct weir_comparison_table *table,
                             const struct weir_compare_sample *sample, int group)
{
    struct weir_text hint = {0};
    const char *copy;

    for (unsigned i = 0; i < table->sample_count && hint.length == 0; i++) {
        const struct weir_compare_sample *other = &table->samples[i];

        if (other->group != group || strcmp(other->phase->case_id, sample->phase->case_id) != 0 ||
            strcmp(other->phase->name, sample->phase->name) != 0)
            continue;
        for (unsigned k = 0; k < table->key_count; k++)
            if (table->keys[k].is_matched && !table->keys[k].is_compared &&
                !table->keys[k].is_across && strcmp(sample->values[k], other->values[k]) != 0)
                weir_text_add(&hint, "%s%s", hint.length > 0 ? "," : "", table->keys[k].name);
    }
    copy = weir_arena_copy(&table->arena, weir_text_string(&hint));
    weir_text_close(&hint);
    return copy;
}

/* Bytes of a plan up to its next separator: one of "\n;:,", or two spaces. */
static size_t clause_bytes(const char *plan)
{
    const char *columns = strstr(plan, "  ");
    size_t bytes = strcspn(plan, "\n;:,");

    return columns != NULL && (size_t)(columns - plan) < bytes ? (size_t)(columns - plan) : bytes;
}

/* Appends clauses of the plan `own` that `other` does not have. */
static void add_clauses(struct weir_text *text, const char *own, const char *other)
{
    for (size_t length; *own != '\0'; own += length + (own[length] != '\0')) {
        bool is_common;

        own += strspn(own, " ");
        length = clause_bytes(own);
        is_common = length == 0;
        for (const char *at = other; *at != '\0' && !is_common;) {
            size_t other_length;

            at += strspn(at, " ");
            other_length = clause_bytes(at);
            is_common = other_length == length && strncmp(at, own, length) == 0;
            at += other_length + (at[other_length] != '\0');
        }
        if (!is_common)
            weir_text_add(text, "%s%.*s", text->length > 0 ? ", " : "", (int)length, own);
    }
}

/* Sets in what the plan of a phase differs from that of its namesake in the group. */
static void set_plans(struct weir_comparison_table *table, struct weir_compare_unmatched *one)
{
    const struct weir_measured_phase *own = one->sample->phase;
    const char *plans[2] = {one->sample->plan, NULL};
    struct weir_text clauses = {0};

    for (unsigned i = 0; i < table->sample_count && plans[1] == NULL; i++)
        if (table->samples[i].group == one->group &&
            strcmp(table->samples[i].phase->name, own->name) == 0 &&
            strcmp(table->samples[i].phase->dialect, own->dialect) == 0)
            plans[1] = table->samples[i].plan;
    if (plans[0] == NULL || plans[1] == NULL || strcmp(plans[0], plans[1]) == 0)
        return;
    for (unsigned side = 0; side < 2; side++) {
        weir_text_clear(&clauses);
        add_clauses(&clauses, plans[side], plans[1 - side]);
        one->plans[one->sample->group < one->group ? side : 1 - side] =
            weir_arena_copy(&table->arena, weir_text_string(&clauses));
    }
    weir_text_close(&clauses);
}

static void add_unmatched(struct weir_comparison_table *table,
                          const struct weir_compare_sample *sample, int group)
{
    struct weir_compare_unmatched *one = &table->unmatched[table->unmatched_count++];

    *one = (struct weir_compare_unmatched){
        .sample = sample, .group = group, .hint = find_hint(table, sample, group)};
    if (one->hint[0] == '\0')
        set_plans(table, one);
}

/* `spans` are all sides of one match, by group; those of earlier runs are first. */
static void match_spans(struct weir_comparison_table *table, const struct span spans[],
                        unsigned count)
{
    bool *has_group = weir_arena_take(&table->arena, table->group_count * sizeof *has_group);

    for (unsigned i = 0; i < count; i++)
        if (spans[i].samples->group >= 0)
            has_group[spans[i].samples->group] = true;
    for (unsigned i = 0; i < count; i++) {
        const struct weir_compare_sample *a = spans[i].samples;
        bool is_last = i + 1 == count || spans[i + 1].samples->group != a->group;
        struct span earlier = {0};

        if (a->group > 0 && !has_group[0] && is_last)
            add_unmatched(table, a, 0);
        for (int g = 1; a->group == 0 && is_last && g < (int)table->group_count; g++)
            if (!has_group[g])
                add_unmatched(table, a, g);
        for (unsigned k = 0; a->group == 0 && k < count; k++) {
            if (spans[k].samples->group == WEIR_COMPARE_EARLIER &&
                strcmp(spans[k].samples->across, a->across) == 0)
                earlier = spans[k];
            if (spans[k].samples->group > 0)
                add_lines(table, (const struct span[2]){spans[i], spans[k]}, &earlier);
        }
    }
}

static void match_samples(struct weir_comparison_table *table)
{
    struct weir_compare_sample *samples = table->samples;
    unsigned n = table->sample_count;
    struct span *spans = weir_arena_take(&table->arena, (n + 1) * sizeof *spans);

    qsort(samples, n, sizeof *samples, order_samples);
    table->unmatched = weir_arena_take(&table->arena, (size_t)(n + 1) * table->group_count *
                                                          sizeof *table->unmatched);
    for (unsigned i = 0, next; i < n; i = next) {
        unsigned count = 0;

        for (next = i; next < n && strcmp(samples[next].match, samples[i].match) == 0; next++) {
            if (next == i || samples[next].group != samples[next - 1].group ||
                strcmp(samples[next].across, samples[next - 1].across) != 0)
                spans[count++] = (struct span){.samples = &samples[next]};
            spans[count - 1].count++;
        }
        match_spans(table, spans, count);
    }
}

/* In the order of A, then of B, then of the figures. */
static int order_lines(const void *one, const void *other)
{
    const struct weir_compare_line *a = one, *b = other;

    if (a->a->order != b->a->order)
        return a->a->order < b->a->order ? -1 : 1;
    if (a->b->order != b->b->order)
        return a->b->order < b->b->order ? -1 : 1;
    return (a->figure > b->figure) - (a->figure < b->figure);
}

static int order_unmatched(const void *one, const void *other)
{
    const struct weir_compare_unmatched *a = one, *b = other;

    return (a->sample->order > b->sample->order) - (a->sample->order < b->sample->order);
}

/* A condition on the order in which runs of A and B began. */
static void set_precedence(struct weir_comparison_table *table)
{
    double *begun[2];
    unsigned counts[2] = {0};

    for (unsigned g = 0; g < 2; g++) {
        begun[g] = weir_arena_take(&table->arena, table->run_count * sizeof *begun[g]);
        for (unsigned i = 0; i < table->run_count; i++)
            if (table->run_groups[i] == (int)g)
                begun[g][counts[g]++] = table->runs[i]->begun_s;
    }
    table->precedence = table->request->by == NULL
                            ? weir_compare_precedence(begun[0], counts[0], begun[1], counts[1])
                            : NAN;
}

/* Figures without a better direction are refused, and so are unknown ones. */
static int check_figures(const char *names, struct weir_error *error)
{
    for (size_t length; names != NULL && *names != '\0'; names += length + (names[length] == ',')) {
        char name[64];
        const struct weir_figure_row *row;
        struct weir_nearest nearest = {.typed = name};
        const char *near_name;

        length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        nearest.length = strlen(name);
        row = weir_figure_find(name);
        if (row != NULL && row->kind != WEIR_FIGURE_AMOUNT)
            continue;
        if (row != NULL)
            return weir_error_usage(error, "compare",
                                    "--figures: %s is an amount, neither better nor worse; give "
                                    "rates, times or latencies",
                                    name);
        for (row = weir_figure_rows; row->name != NULL; row++)
            weir_nearest_offer(&nearest, row->name);
        near_name = weir_nearest_word(&nearest);
        return weir_error_usage(error, "compare",
                                "--figures: no figure is called \"%s\"%s%s%s; weir report FILE "
                                "--format csv-long shows the figures of a run",
                                name, near_name ? " (did you mean " : "",
                                near_name ? near_name : "", near_name ? "?)" : "");
    }
    return 0;
}

int weir_compare_match(struct weir_comparison_table *table, struct weir_error *error)
{
    const struct weir_compare_request *request = table->request;
    int code = check_figures(request->figures, error);

    if (code == 0)
        code = read_runs(table, &request->sides[0], 0, 0, error);
    if (code == 0 && request->by == NULL)
        code = read_runs(table, &request->sides[1], 1, 1, error);
    if (code == 0 && request->earlier.path_count > 0)
        code = read_runs(table, &request->earlier, 2, WEIR_COMPARE_EARLIER, error);
    if (code == 0)
        code = set_keys(table, error);
    if (code != 0)
        return code;

    for (unsigned i = 0; i < table->sample_count; i++) {
        struct weir_compare_sample *sample = &table->samples[i];

        sample->values = weir_arena_take(&table->arena, table->key_count * sizeof *sample->values);
        for (unsigned k = 0; k < table->key_count; k++)
            sample->values[k] = value_of(&table->arena, sample, &table->keys[k], k);
    }
    code = set_groups(table, error);
    if (code != 0)
        return code;
    for (unsigned i = 0; i < table->sample_count; i++)
        set_match(table, &table->samples[i]);
    match_samples(table);
    if (table->judged.count > 0)
        qsort(table->lines, table->judged.count, sizeof *table->lines, order_lines);
    if (table->unmatched_count > 0)
        qsort(table->unmatched, table->unmatched_count, sizeof *table->unmatched, order_unmatched);
    set_precedence(table);
    return 0;
}
