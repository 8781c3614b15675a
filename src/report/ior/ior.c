/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect ior. */
#include "ior.h"

#include <string.h>

/* ---- summaryFormat=CSV ---- */

static const char csv_header[] =
    "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),"
    "numTasks,iter\n";

static void add_csv_line(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_result *result, const struct weir_phase_result *phase)
{
    struct weir_ior_row row;

    (void)result;
    if (!weir_figures_has_row(plan, phase))
        return;
    row = weir_figures_row(plan, phase);
    weir_text_add(text, "%s,%.4f,%.4f,%.4f,%.4f,%.4f,", row.access, row.mib_per_s, row.ops_per_s,
                  row.latency_s, row.block_kib, row.transfer_kib);
    weir_text_add(text, "%.4f,%.4f,%.4f,%.4f,%u,%u\n", row.windows.open_s, row.windows.transfer_s,
                  row.windows.close_s, row.windows.total_s, phase->rank_count, phase->repetition);
}

static const struct weir_reporter csv_reporter = {
    .name = "ior csv",
    .header = csv_header,
    .phase_done = add_csv_line,
};

/* ---- saveRankPerformanceDetailsCSV ---- */

#define COLUMNS "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput"

static double seconds_between(const struct weir_rank_row *row, enum weir_stamp from,
                              enum weir_stamp to)
{
    int64_t ns = row->stamps_ns[to] - row->stamps_ns[from];

    return ns > 0 ? (double)ns / 1e9 : 0.0;
}

static void add(struct weir_rank_csv *held, struct weir_text *text, const struct weir_plan *plan,
                const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    struct weir_text more = {0};

    (void)held;
    if (!phase->rows || !weir_figures_has_row(plan, phase) || planned->is_prefill)
        return;
    if (weir_report_has_own_columns(plan)) {
        weir_text_add(&more, ",%s,", weir_believed_names[phase->believed]);
        weir_report_add_findings(&more, phase);
    }
    for (unsigned rank = 0; rank < phase->rank_count; rank++) {
        const struct weir_rank_row *row = &phase->rows[rank];
        double whole_s = seconds_between(row, WEIR_STAMP_OPEN_START, WEIR_STAMP_CLOSE_STOP);
        double transfer_s = seconds_between(row, WEIR_STAMP_MOVE_START, WEIR_STAMP_MOVE_STOP);
        double bytes = (double)row->byte_count;

        weir_text_add(text, "%s,%u,%.10e,%.10e,%.10e,%.10e%s\n", weir_verb_name(planned->verb),
                      rank, whole_s, transfer_s, weir_figures_rate(bytes, whole_s),
                      weir_figures_rate(bytes, transfer_s), weir_text_string(&more));
    }
    weir_text_close(&more);
}

const struct weir_rank_csv_format weir_ior_rank_csv = {
    .header = COLUMNS ",believed,findings\n", .plain_header = COLUMNS "\n", .add = add};

/* ---- files that hold an output ---- */

static const char *past_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* "IOR-3.2.1: MPI Coordinated Test of Parallel I/O" */
static bool is_banner(const char *line)
{
    static const char title[] = ": MPI Coordinated Test of Parallel I/O\n";
    const char *end;

    if (!weir_text_begins(line, "IOR-"))
        return false;
    line += strlen("IOR-");
    end = strchr(line, ':');
    return *line >= '0' && *line <= '9' && end != NULL && weir_text_begins(end, title);
}

/* IOR's banner, behind what releases print before it. */
bool weir_ior_holds_text(const char *line)
{
    while (line != NULL && !is_banner(line)) {
        if (*line != '\n' && !weir_text_begins(line, "Fake ") &&
            !weir_text_begins(line, "WARNING: "))
            return false;
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return line != NULL;
}

/* The value of `key`, if that comes next: behind its opening quote. */
static const char *value_of(const char *json, const char *key)
{
    json = past_blanks(json);
    if (!weir_text_begins(json, key))
        return NULL;
    json = past_blanks(json + strlen(key));
    return weir_text_begins(json, "\"") ? json + 1 : NULL;
}

/* The first keys of all releases that have JSON: "Version" and "Began". */
bool weir_ior_holds_json(const char *json)
{
    const char *version = *json == '{' ? value_of(json + 1, "\"Version\":") : NULL;
    const char *end = version != NULL ? strchr(version, '"') : NULL;

    if (end == NULL)
        return false;
    end = past_blanks(end + 1);
    return *end == ',' && value_of(end + 1, "\"Began\":") != NULL;
}

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_DETAILS, "-v"},
    {WEIR_REMEDY_PATH, "-o"},
    {WEIR_REMEDY_ROOT, "-o"},
    {WEIR_REMEDY_ANYWHERE, "allow all directories"},
    {WEIR_REMEDY_BACKEND, "-a"},
    {WEIR_REMEDY_FILE_PER_RANK, "-F"},
    {WEIR_REMEDY_PACKAGE_DIRECTORIES, "-y"},
    {WEIR_REMEDY_DEVICE, "--device allow"},
    {WEIR_REMEDY_DEVICE_FORCE, "--device force"},
    {WEIR_REMEDY_KEEP, "-k"},
    {WEIR_REMEDY_KEEP_FAILED, "-K"},
    {WEIR_REMEDY_KEEP_OPEN, "--keep-open"},
    {WEIR_REMEDY_USE_EXISTING, "-E"},
    {WEIR_REMEDY_REMOVE, "a run without -k"},
    {WEIR_REMEDY_WRITE, "-w"},
    {WEIR_REMEDY_READ, "-r"},
    {WEIR_REMEDY_TRANSFER_SIZE, "-t"},
    {WEIR_REMEDY_BLOCK_SIZE, "-b"},
    {WEIR_REMEDY_LESS_DATA, "-b, -s"},
    {WEIR_REMEDY_REPETITIONS, "-i"},
    {WEIR_REMEDY_DEADLINE, "-D"},
    {WEIR_REMEDY_LONGER_PHASE, "--minTimeDuration"},
    {WEIR_REMEDY_SYNC, "-e"},
    {WEIR_REMEDY_SYNC_ALL, "-e"},
    {WEIR_REMEDY_WEAR_OUT, "stoneWallingWearOut=1"},
    {WEIR_REMEDY_FEWER_RANKS, "ask for fewer"},
    {WEIR_REMEDY_BUFFERED, "leave --direct out"},
    {WEIR_REMEDY_SHIFT_NODES, "-C"},
    {WEIR_REMEDY_SHIFT_RANDOM, "-Z"},
    {WEIR_REMEDY_SHIFT_PERMUTATION, "-Z -Z"},
    {WEIR_REMEDY_SHIFT_DISTANCE, "-Q"},
    {WEIR_REMEDY_FOREIGN_DATA, "--data ior"},
    {WEIR_REMEDY_UNKNOWN_DATA, "if IOR wrote it, use --data ior with the pattern and the signature "
                               "that it was written with, -l and -G"},
    {WEIR_REMEDY_PATTERN, "-l"},
    {WEIR_REMEDY_SEED, "-G"},
    {WEIR_REMEDY_VERIFY_WRITES, "-W"},
    {WEIR_REMEDY_VERIFY_READS, "-R"},
    {WEIR_REMEDY_OUTLIERS, "-j"},
    {WEIR_REMEDY_REPORT_FILE, "ior: summaryFile"},
    {WEIR_REMEDY_RANK_FILE, "ior: saveRankPerformanceDetailsCSV"},
    {WEIR_REMEDY_OP_FILES, "ior: savePerOpDataCSV"},
    {WEIR_REMEDY_HISTOGRAMS, "files of the latencies of ranks"},
    {WEIR_REMEDY_STATUS_FILE, "ior: stoneWallingStatusFile"},
    {WEIR_REMEDY_STATUS_WRITER, "a write with -D and stoneWallingWearOut=1"},
    {WEIR_REMEDY_HOG_PER_RANK, "memoryPerTask"},
    {WEIR_REMEDY_HOG_PER_NODE, "-M"},
    {0},
};

/* ---- the dialect ---- */

static const struct weir_reporter *const reporters[] = {&weir_reporter_ior, &csv_reporter,
                                                        &weir_reporter_ior_json, NULL};

const struct weir_dialect_reports weir_ior_reports = {.dialect = "ior",
                                                      .work = WEIR_WORKS_ON_FILES,
                                                      .reporters = reporters,
                                                      .remedies = remedies,
                                                      .rank_csv = &weir_ior_rank_csv};
