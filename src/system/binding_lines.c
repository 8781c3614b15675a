/* SPDX-License-Identifier: Apache-2.0 */
/* Formats ranks as lines: one each, or one for many whose places go on regularly. */
#include "binding_lines.h"

#include "topology_parts.h"

#include <string.h>

/* Fewer are told one by one. */
#define RUN_MIN 3
/* Of this many ranks, each may begin a run of its own: two threads of a core, nodes in turn. */
#define RUN_STEPS 16
#define NUMBERS_MIN 4

/* ---- words ---- */

static unsigned collect(const struct weir_cpu_set *set, unsigned numbers[WEIR_CPUS_MAX])
{
    unsigned count = 0;

    for (unsigned n = weir_cpu_set_next(set, 0); n < WEIR_CPUS_MAX;
         n = weir_cpu_set_next(set, n + 1))
        numbers[count++] = n;
    return count;
}

/* How many numbers from the first on have the same distance from each other. */
static unsigned count_regular(const unsigned *numbers, unsigned count)
{
    unsigned length = 2;

    if (count < 2)
        return count;
    while (length < count && numbers[length] - numbers[length - 1] == numbers[1] - numbers[0])
        length++;
    return length;
}

void weir_binding_set_add(struct weir_text *text, const struct weir_cpu_set *set)
{
    unsigned numbers[WEIR_CPUS_MAX] = {0};
    unsigned count = collect(set, numbers);

    for (unsigned i = 0; i < count;) {
        unsigned length = count_regular(numbers + i, count - i);
        bool is_range = length > 1 && numbers[i + 1] == numbers[i] + 1;

        weir_text_add(text, "%s%u", i > 0 ? "," : "", numbers[i]);
        if (is_range)
            weir_text_add(text, "-%u", numbers[i + length - 1]);
        else if (length >= NUMBERS_MIN)
            weir_text_add(text, ",%u..%u", numbers[i + 1], numbers[i + length - 1]);
        i += is_range || length >= NUMBERS_MIN ? length : 1;
    }
}

static void end_line(struct weir_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
    weir_text_add(text, "\n");
}

/* Blanks up to a column, at least two. */
static void pad(struct weir_text *text, size_t line_start, size_t column)
{
    size_t length = text->length - line_start;

    weir_text_add(text, "%*s", length + 2 < column ? (int)(column - length) : 2, "");
}

/* ---- runs of ranks ---- */

/* The columns that change from one rank of a run to the next. */
struct stride {
    long rank;
    long cpu;
    long core;
};

static long name_of_rank(const struct weir_binding_drawing *drawing, unsigned i)
{
    return drawing->request->ranks != NULL ? drawing->request->ranks[i] : i;
}

/* Logical numbers of the cores of a binding. */
static struct weir_cpu_set cores_of(const struct weir_binding_drawing *drawing, unsigned i)
{
    const struct weir_cpu_set *firsts = &drawing->bindings[i].cores;
    struct weir_cpu_set cores = {0};

    for (unsigned cpu = weir_cpu_set_next(firsts, 0); cpu < WEIR_CPUS_MAX;
         cpu = weir_cpu_set_next(firsts, cpu + 1))
        if (drawing->topology->core_of[cpu] >= 0)
            weir_cpu_set_add(&cores, (unsigned)drawing->topology->core_of[cpu]);
    return cores;
}

/* By how much all numbers of `a` must move to make `b`; false if there is no such number. */
static bool find_shift(const struct weir_cpu_set *a, const struct weir_cpu_set *b, long *shift)
{
    unsigned from = weir_cpu_set_next(a, 0);
    unsigned to = weir_cpu_set_next(b, 0);

    *shift = (long)to - (long)from;
    while (from < WEIR_CPUS_MAX && to < WEIR_CPUS_MAX && (long)to - (long)from == *shift) {
        from = weir_cpu_set_next(a, from + 1);
        to = weir_cpu_set_next(b, to + 1);
    }
    return from == WEIR_CPUS_MAX && to == WEIR_CPUS_MAX;
}

static bool find_stride(const struct weir_binding_drawing *drawing, unsigned i, unsigned j,
                        struct stride *stride)
{
    const struct weir_binding *a = &drawing->bindings[i];
    const struct weir_binding *b = &drawing->bindings[j];
    struct weir_cpu_set a_cores = cores_of(drawing, i);
    struct weir_cpu_set b_cores = cores_of(drawing, j);

    stride->rank = name_of_rank(drawing, j) - name_of_rank(drawing, i);
    return a->is_shared == b->is_shared && a->is_narrowed == b->is_narrowed &&
           a->is_far == b->is_far && a->numa_nodes == b->numa_nodes &&
           find_shift(&a->cpus, &b->cpus, &stride->cpu) &&
           find_shift(&a_cores, &b_cores, &stride->core);
}

/* Ranks that belong to one part of the host; those that have a line are taken out. */
struct guests {
    unsigned *ranks;
    unsigned count;
};

/* How many of the guests 0, step, 2 * step, ... make a run. */
static unsigned measure_run(const struct weir_binding_drawing *drawing, const struct guests *guests,
                            unsigned step)
{
    struct stride first, next;
    unsigned length = 1;

    for (unsigned at = step; at < guests->count; at += step, length++) {
        if (!find_stride(drawing, guests->ranks[at - step], guests->ranks[at], &next))
            break;
        if (length == 1)
            first = next;
        else if (memcmp(&first, &next, sizeof first) != 0)
            break;
    }
    return length;
}

/* A run of guests from the first one on. */
struct run {
    unsigned step;
    unsigned length;
};

static struct run find_run(const struct weir_binding_drawing *drawing, const struct guests *guests)
{
    struct run best = {.step = 1, .length = 1};

    for (unsigned step = 1; step <= RUN_STEPS; step++) {
        unsigned length = measure_run(drawing, guests, step);

        if (length >= RUN_MIN && length > best.length)
            best = (struct run){.step = step, .length = length};
    }
    return best;
}

static void take_out(struct guests *guests, const struct run *run)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < guests->count; i++)
        if (i % run->step != 0 || i / run->step >= run->length)
            guests->ranks[kept++] = guests->ranks[i];
    guests->count = kept;
}

/* ---- lines of ranks ---- */

enum column { COLUMN_CPUS = 28, COLUMN_CORES = 60, COLUMN_REMARKS = 82 };

/* Before the last of a run; of three, all have lines then. */
static const char *separator_of(unsigned length, long stride)
{
    return length == 3 && stride != 1 ? " " : " ... ";
}

/* Sets of the first rank of a run, of the second if the next one is not a step of 1 away, and of
 * the last. */
static void add_sets(struct weir_text *text, const struct weir_cpu_set sets[3], unsigned length,
                     long shift)
{
    weir_binding_set_add(text, &sets[0]);
    if (length == 1 || shift == 0)
        return;
    if (shift != 1) {
        weir_text_add(text, " ");
        weir_binding_set_add(text, &sets[1]);
    }
    weir_text_add(text, "%s", separator_of(length, shift));
    weir_binding_set_add(text, &sets[2]);
}

static void add_ranks(struct weir_text *text, const long ranks[3], unsigned length)
{
    long stride = ranks[1] - ranks[0];

    if (length == 1)
        weir_text_add(text, "rank %ld", ranks[0]);
    else if (stride == 1)
        weir_text_add(text, "ranks %ld-%ld", ranks[0], ranks[2]);
    else
        weir_text_add(text, "ranks %ld %ld%s%ld", ranks[0], ranks[1], separator_of(length, stride),
                      ranks[2]);
}

static void add_remarks(struct weir_text *text, const struct weir_binding *binding)
{
    const char *separator = "";

    if (binding->is_shared) {
        weir_text_add(text, "shared");
        separator = ", ";
    }
    if (binding->is_narrowed) {
        weir_text_add(text, "%snarrowed", separator);
        separator = ", ";
    }
    if (binding->is_far)
        weir_text_add(text, "%sfar", separator);
}

/* NUMA nodes of a rank that has more than one. */
static void add_nodes(struct weir_text *text, uint64_t nodes)
{
    struct weir_cpu_set set = {.words = {nodes}};

    if ((nodes & (nodes - 1)) == 0)
        return;
    weir_text_add(text, "NUMA nodes ");
    weir_binding_set_add(text, &set);
    weir_text_add(text, "  ");
}

/* True if there is a single number to show. */
static bool is_one(const struct weir_cpu_set sets[3], const struct run *run)
{
    return weir_cpu_set_count(&sets[0]) == 1 &&
           (run->length == 1 || weir_cpu_set_equals(&sets[0], &sets[2]));
}

static void draw_run(const struct weir_binding_drawing *drawing, const struct guests *guests,
                     const struct run *run, int indent)
{
    unsigned last = run->step * (run->length - 1);
    unsigned second = run->length > 1 ? run->step : 0;
    const unsigned ranks[3] = {guests->ranks[0], guests->ranks[second], guests->ranks[last]};
    struct weir_text *text = drawing->text;
    const struct weir_binding *binding = &drawing->bindings[ranks[0]];
    size_t start = text->length;
    struct weir_cpu_set cpus[3], cores[3];
    struct stride stride = {0};
    long names[3];

    for (int i = 0; i < 3; i++) {
        names[i] = name_of_rank(drawing, ranks[i]);
        cpus[i] = drawing->bindings[ranks[i]].cpus;
        cores[i] = cores_of(drawing, ranks[i]);
    }
    find_stride(drawing, ranks[0], ranks[1], &stride);
    weir_text_add(text, "%*s", indent, "");
    add_ranks(text, names, run->length);
    pad(text, start, COLUMN_CPUS);
    weir_text_add(text, "%s ", is_one(cpus, run) ? "processor" : "processors");
    add_sets(text, cpus, run->length, stride.cpu);
    pad(text, start, COLUMN_CORES);
    weir_text_add(text, "%s ", is_one(cores, run) ? "core" : "cores");
    add_sets(text, cores, run->length, stride.core);
    pad(text, start, COLUMN_REMARKS);
    add_nodes(text, binding->numa_nodes);
    add_remarks(text, binding);
    end_line(text);
}

void weir_binding_lines_draw(const struct weir_binding_drawing *drawing, unsigned *indices,
                             unsigned count, int indent)
{
    struct guests guests = {.ranks = indices, .count = count};

    while (guests.count > 0) {
        struct run run = find_run(drawing, &guests);

        draw_run(drawing, &guests, &run, indent);
        take_out(&guests, &run);
    }
}
