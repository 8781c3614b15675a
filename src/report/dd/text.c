/* SPDX-License-Identifier: Apache-2.0 */
/* The three lines with which dd ends, as coreutils 9 prints them in the C locale (looked at in its
 * output): of all ranks, and of each one if asked for. */
#include "dialect.h"
#include "ior/ior.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_S 1e9

/* ---- numbers as dd writes them ---- */

static const char *const si_units[] = {"", "kB", "MB", "GB", "TB", "PB", "EB", "ZB"};
static const char *const iec_units[] = {"", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"};
#define UNITS 8

/* "9.9 kB", "10 kB": rounded to the nearest, with a digit behind the point below 10. */
static void add_size(struct weir_text *text, double value, double base, const char *const units[])
{
    unsigned unit = 0;

    while (unit + 1 < UNITS && (value >= base || (unit > 0 && value >= base - 0.5))) {
        value /= base;
        unit++;
    }
    weir_text_add(text, value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void add_records(struct weir_text *text, const struct weir_phase *planned, uint64_t bytes,
                        const char *direction)
{
    uint64_t block = planned->transfers.layout.transfer_bytes;

    weir_text_add(text, "%" PRIu64 "+%d records %s\n", block > 0 ? bytes / block : 0,
                  block > 0 && bytes % block != 0, direction);
}

static void add_lines(struct weir_text *text, const struct weir_phase *planned, uint64_t bytes,
                      double seconds, bool has_transfer)
{
    double value = weir_figures_rate((double)bytes, seconds) / 1000;
    unsigned unit = 1;

    add_records(text, planned, bytes, "in");
    add_records(text, planned, bytes, "out");
    if (!has_transfer)
        return;
    weir_text_add(text, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    if (bytes >= 1000) {
        weir_text_add(text, " (");
        add_size(text, (double)bytes, 1000, si_units);
        if (bytes >= 1024) {
            weir_text_add(text, ", ");
            add_size(text, (double)bytes, 1024, iec_units);
        }
        weir_text_add(text, ")");
    }
    weir_text_add(text, " copied, %g s, ", seconds);
    /* A rate has a digit behind the point below 100, and no unit below kB. */
    while (unit + 1 < UNITS && value >= 1000) {
        value /= 1000;
        unit++;
    }
    weir_text_add(text, value < 99.95 ? "%.1f %s/s" : "%.0f %s/s", value, si_units[unit]);
    weir_text_add(text, "\n");
}

/* ---- the report ---- */

static const char *data_of(const struct weir_phase *phase)
{
    switch (phase->transfers.payload.mode) {
    case WEIR_PAYLOAD_STAMP:
        return "stamps that prove their place";
    case WEIR_PAYLOAD_FULL:
        return "words that prove their place, and that nothing compresses";
    case WEIR_PAYLOAD_IOR:
        return "those of IOR";
    case WEIR_PAYLOAD_NONE:
        break;
    }
    return "what memory holds";
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    const struct weir_phase *phase = test->phase_count > 0 ? test->phases[0] : NULL;

    (void)result;
    if (phase != NULL) {
        weir_text_add(text, "weir dd: %u rank%s on %u node%s: %s %s %s", begun->rank_count,
                      begun->rank_count == 1 ? "" : "s", begun->node_count,
                      begun->node_count == 1 ? "" : "s", weir_verb_name(phase->verb),
                      phase->target->is_shared ? "one file," : "a file each,",
                      phase->target->is_device ? "device " : "");
        weir_text_add_visible(text, phase->target->paths[0]);
        if (weir_verb_writes(phase->verb))
            weir_text_add(text, ", with %s", data_of(phase));
        weir_text_add(text, "\n");
    }
    weir_report_remarks(text, "weir dd: ", plan, test);
    weir_report_room(text, "weir dd: ", begun);
}

/* Scripts accept dd's three lines as proof of a finished copy. */
static bool is_done(const struct weir_phase_result *phase)
{
    return phase->outcome == WEIR_OUTCOME_COMPLETE && phase->failure[0] == '\0' &&
           phase->error_count == 0 && phase->mismatches.wrong_transfers == 0;
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    const struct weir_test *test = planned != NULL ? plan->tests[phase->test] : NULL;
    const char *status = test != NULL ? weir_test_setting(test, "status") : NULL;
    bool has_transfer = status == NULL || strcmp(status, "noxfer") != 0;

    (void)result;
    if (planned == NULL || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (phase->notes)
        weir_report_notes(text, phase);
    if (phase->failure[0] != '\0')
        weir_report_sentence(text, "dd: ", phase->failure);
    if (status != NULL && strcmp(status, "none") == 0)
        return;
    if (!is_done(phase)) {
        weir_text_add(text, "weir dd: not all was done: %" PRIu64 " of %" PRIu64 " blocks\n",
                      phase->op_count,
                      weir_layout_ops_per_rank(&planned->transfers.layout) * phase->rank_count);
        return;
    }
    if (test->tells_ranks && phase->rows != NULL) { /* not in a result file */
        for (unsigned rank = 0; rank < phase->rank_count; rank++) {
            const struct weir_rank_row *row = &phase->rows[rank];
            int64_t ns =
                row->stamps_ns[WEIR_STAMP_CLOSE_STOP] - row->stamps_ns[WEIR_STAMP_OPEN_START];

            weir_text_add(text, "rank %u\n", rank);
            add_lines(text, planned, row->byte_count, (double)ns / NS_PER_S, has_transfer);
        }
        weir_text_add(text, "all ranks\n");
    }
    add_lines(text, planned, phase->byte_count, phase->windows.total_s, has_transfer);
}

static const struct weir_reporter reporter = {
    .name = "dd",
    .is_text = true,
    .warning_label = "weir dd: ",
    .openings = (const char *const[]){"weir dd: ", NULL},
    .test_begins = test_begins,
    .phase_done = phase_done,
};

/* ---- the dialect ---- */

/* `path` names the files of the test, and `direct` asks for direct I/O. */
#define REMEDIES(path, direct)                                                                     \
    {                                                                                              \
        {WEIR_REMEDY_PATH, path}, {WEIR_REMEDY_BACKEND, "-a"},                                     \
            {WEIR_REMEDY_FILE_PER_RANK, "%r in the name"}, {WEIR_REMEDY_DEVICE, "--device allow"}, \
            {WEIR_REMEDY_DEVICE_FORCE, "--device force"},                                          \
            {WEIR_REMEDY_KEEP, "of=FILE"}, /* files stay */                                        \
            {WEIR_REMEDY_REPETITIONS, "the same command again"},                                   \
            {WEIR_REMEDY_FEWER_RANKS, "sweep over fewer"},                                         \
            {WEIR_REMEDY_USE_EXISTING, "conv=notrunc"}, {WEIR_REMEDY_WRITE, "if=/dev/zero"},       \
            {WEIR_REMEDY_READ, "of=/dev/null"}, {WEIR_REMEDY_TRANSFER_SIZE, "bs="},                \
            {WEIR_REMEDY_BLOCK_SIZE, "count="}, {WEIR_REMEDY_LESS_DATA, "count="},                 \
            {WEIR_REMEDY_LONGER_PHASE, "count="}, {WEIR_REMEDY_SYNC, "conv=fsync"},                \
            {WEIR_REMEDY_SYNC_ALL, "conv=fsync"},                                                  \
            {WEIR_REMEDY_BUFFERED, "leave " direct " (--direct) out"},                             \
            {WEIR_REMEDY_SHIFT_NODES, "a later run with another --rank-order"},                    \
            {WEIR_REMEDY_REPORT_FILE, "--summaryFile"}, {0},                                       \
    }

static const struct weir_remedy_word remedies[] = REMEDIES("of=", "oflag=direct");
static const struct weir_remedy_word remedies_of_reads[] = REMEDIES("if=", "iflag=direct");

static const struct weir_remedy_word *remedies_of(const struct weir_test *test)
{
    bool reads = test->phase_count > 0 && test->phases[0]->verb == WEIR_READ;

    return reads ? remedies_of_reads : remedies;
}

static bool find_figure(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_shown_figure *figure)
{
    (void)plan;
    (void)result;
    *figure = (struct weir_shown_figure){
        .value = weir_figures_rate((double)phase->byte_count, phase->windows.total_s),
        .decimals = 1,
        .is_scaled = true};
    return true;
}

static const struct weir_reporter *const reporters[] = {&reporter, NULL};

const struct weir_dialect_reports weir_dd_reports = {.dialect = "dd",
                                                     .work = WEIR_WORKS_ON_FILES,
                                                     .reporters = reporters,
                                                     .remedies = remedies,
                                                     .remedies_of = remedies_of,
                                                     .rank_csv = &weir_ior_rank_csv,
                                                     .find_figure = find_figure};
