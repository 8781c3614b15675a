/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's numbers from what phases found. */

#include "iozone.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[WEIR_IOZONE_TESTS] = {
    "write",    "rewrite",        "read",     "reread", "random-read", "random-write",
    "backward", "record-rewrite", "stride",   "fwrite", "frewrite",    "fread",
    "freread",  "pwrite",         "repwrite", "pread",  "repread",     "mixed"};

/* ---- settings ---- */

bool weir_iozone_is_set(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

uint64_t weir_iozone_number(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);

    return value != NULL ? strtoull(value, NULL, 10) : 0;
}

static bool is(const struct weir_test *test, const char *key, const char *value)
{
    const char *own = weir_test_setting(test, key);

    return own != NULL && strcmp(own, value) == 0;
}

bool weir_iozone_is_throughput(const struct weir_test *test)
{
    return is(test, "mode", "throughput");
}

bool weir_iozone_counts_ops(const struct weir_test *test)
{
    return is(test, "unit", "ops");
}

bool weir_iozone_is_same_row(const struct weir_test *test, const struct weir_test *other)
{
    return test->sweep_step == other->sweep_step &&
           weir_iozone_number(test, "file-kb") == weir_iozone_number(other, "file-kb") &&
           weir_iozone_number(test, "record-kb") == weir_iozone_number(other, "record-kb") &&
           weir_iozone_number(test, "children") == weir_iozone_number(other, "children");
}

/* ---- which test ---- */

const char *weir_iozone_name(enum weir_iozone_test test)
{
    return names[test];
}

static enum weir_iozone_test test_named(const char *word, size_t length)
{
    unsigned i = 0;

    while (i < WEIR_IOZONE_TESTS &&
           (strlen(names[i]) != length || strncmp(names[i], word, length) != 0))
        i++;
    return i;
}

/* Goes to the next word; NULL: there is none. */
static const char *next_word(const char *words, size_t *length)
{
    words += strspn(words, " ");
    *length = strcspn(words, " ");
    return *length > 0 ? words : NULL;
}

bool weir_iozone_selects(const struct weir_test *test, enum weir_iozone_test which)
{
    const char *word = weir_test_setting(test, "tests");
    size_t length;

    while (word != NULL && (word = next_word(word, &length)) != NULL) {
        if (test_named(word, length) == which)
            return true;
        word += length;
    }
    return false;
}

bool weir_iozone_row_selects(const struct weir_plan *plan, const struct weir_test *test,
                             enum weir_iozone_test which)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if (weir_iozone_is_same_row(plan->tests[i], test) &&
            weir_iozone_selects(plan->tests[i], which))
            return true;
    return false;
}

bool weir_iozone_any_selects(const struct weir_plan *plan, enum weir_iozone_test which)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if (weir_iozone_selects(plan->tests[i], which))
            return true;
    return false;
}

enum weir_iozone_test weir_iozone_test_planned(const struct weir_test *test,
                                               const struct weir_phase *phase)
{
    const char *word = weir_test_setting(test, "tests");
    size_t length = 0;

    for (size_t i = 0; word != NULL && i < test->phase_count; i++) {
        word = next_word(word + length, &length);
        if (word != NULL && test->phases[i] == phase)
            return test_named(word, length);
    }
    return WEIR_IOZONE_TESTS;
}

enum weir_iozone_test weir_iozone_test_of(const struct weir_plan *plan,
                                          const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    return planned != NULL ? weir_iozone_test_planned(plan->tests[phase->test], planned)
                           : WEIR_IOZONE_TESTS;
}

bool weir_iozone_has_number(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    return weir_figures_has_row(plan, phase) && !weir_figures_has_failed(phase) &&
           phase->failure[0] == '\0' && phase->mismatches.wrong_transfers == 0;
}

/* ---- numbers ---- */

/* Children begin after the barrier at which all have opened, so that the parent's time leaves the
 * open out, and has the sync and the close after the transfers in it. The time of one stream has
 * neither, but for the close of -c. */
static double wall_of(const struct weir_phase *planned, const struct weir_windows *windows)
{
    double wall_s = windows->total_s;

    if (!planned->transfers.has_inner_barriers)
        wall_s = windows->transfer_s + (planned->transfers.counts_close ? windows->close_s : 0.0);
    else if (windows->open_s < wall_s)
        wall_s -= windows->open_s;
    return wall_s;
}

struct weir_iozone_figures weir_iozone_figures(const struct weir_plan *plan,
                                               const struct weir_phase_result *phase)
{
    const struct weir_counted *counted = &phase->counted;
    bool is_ops = weir_iozone_counts_ops(plan->tests[phase->test]);
    double wall_s = wall_of(weir_figures_phase(plan, phase), &phase->windows);
    struct weir_iozone_figures figures = {.wall_s = wall_s, .cpu_s = counted->cpu_s};

    if (is_ops) {
        figures.children = counted->ops_per_s_sum;
        figures.min = counted->ops_per_s_min;
        figures.max = counted->ops_per_s_max;
        figures.min_xfer = (double)counted->ops_min;
        figures.parent = weir_figures_rate((double)phase->op_count, wall_s);
    } else {
        figures.children = counted->bytes_per_s_sum / WEIR_KIB;
        figures.min = counted->bytes_per_s_min / WEIR_KIB;
        figures.max = counted->bytes_per_s_max / WEIR_KIB;
        figures.min_xfer = (double)counted->bytes_min / WEIR_KIB;
        figures.parent = weir_figures_rate((double)phase->byte_count / WEIR_KIB, wall_s);
    }
    figures.mean = phase->rank_count > 0 ? figures.children / phase->rank_count : 0.0;
    return figures;
}

struct weir_iozone_figures weir_iozone_child(const struct weir_plan *plan,
                                             const struct weir_phase_result *phase, unsigned rank)
{
    const struct weir_rank_row *row = &phase->rows[rank];
    bool is_ops = weir_iozone_counts_ops(plan->tests[phase->test]);
    double amount = is_ops ? (double)row->counted_ops : (double)row->counted_bytes / WEIR_KIB;
    struct weir_iozone_figures child = {
        .wall_s = (double)row->counted_ns / 1e9,
        .cpu_s = (double)(row->cpu_user_ns + row->cpu_system_ns) / 1e9,
        .min_xfer = amount,
    };

    child.children = weir_figures_rate(amount, child.wall_s);
    return child;
}

double weir_iozone_cpu_percent(const struct weir_iozone_figures *figures)
{
    return weir_figures_percent(figures->cpu_s, figures->wall_s);
}

/* ---- versions ---- */

#define BLANKS_15 "               "
#define BLANKS_60 BLANKS_15 BLANKS_15 BLANKS_15 BLANKS_15

static const struct weir_iozone_layout layouts[] = {
    {"iozone 3.487", .version = "3.487", .kb = "kB", .kbyte = "kByte",
     .heads = {{BLANKS_60, "              kB  reclen    write  rewrite    read    reread"},
               {"  random    random     bkwd    record    stride",
                "    read     write     read   rewrite      read"},
               {BLANKS_15 BLANKS_15 "      ", "   fwrite frewrite    fread  freread"},
               {BLANKS_15 BLANKS_15 "     ", "  pwrite repwrite   pread   repread"}},
     .file_width = 16, .record_width = 8,
     .widths = {9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9, 9, 9, 8, 9}},
    {"3.420", .version = "3.420", .kb = "KB", .kbyte = "Kbyte",
     .heads = {{BLANKS_15 BLANKS_15 BLANKS_15 "             ",
                "              KB  reclen   write rewrite    read    reread"},
               {"  random  random    bkwd   record   stride",
                "    read   write    read  rewrite     read"},
               {BLANKS_15 BLANKS_15 "     ", "   fwrite frewrite   fread  freread"},
               {BLANKS_15 BLANKS_15 "     ", "  pwrite repwrite   pread   repread"}},
     .file_width = 16, .record_width = 8,
     .widths = {8, 8, 9, 9, 8, 8, 8, 9, 9, 9, 9, 8, 9, 9, 9, 8, 9}},
};

const struct weir_iozone_layout *weir_iozone_layout_of(const struct weir_plan *plan)
{
    const char *style = plan->output.style;

    for (size_t i = 0; style != NULL && i < sizeof layouts / sizeof *layouts; i++)
        if (strstr(style, layouts[i].version) != NULL)
            return &layouts[i];
    return &layouts[0];
}
