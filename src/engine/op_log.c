/* SPDX-License-Identifier: Apache-2.0 */
/* Memory is reserved before a phase and files are written after it: between its stamps there is one
 * store per transfer. */
#include "op_log.h"

#include "items.h"

#include "weir/base/output_file.h"
#include "weir/base/remedy.h"
#include "weir/plan/side_files.h"
#include "weir/system/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE WEIR_REMEDY_OP_FILES
/* 256 MiB per rank. */
#define ENTRIES_MAX (UINT64_C(1) << 24)
/* The number of transfers of a phase with a minimum time is unknown before it ends. */
#define ENTRIES_UNKNOWN (UINT64_C(1) << 20)
#define FILE_BUFFER_BYTES (1 << 20)

bool weir_op_log_is_wanted(const struct weir_run *run, const struct weir_phase *phase)
{
    return run->test->op_csv_prefix != NULL && !phase->is_prefill &&
           (weir_verb_moves_data(phase->verb) || phase->names.log_name != NULL);
}

/* True if this rank keeps a log of its operations. */
static bool has_own_log(const struct weir_run *run)
{
    return !run->test->op_csv_is_of_first || run->group->rank == 0;
}

/* True if this rank writes files: of its own log, or as rank 0 the file of all ranks. */
static bool writes_files(const struct weir_run *run)
{
    return run->group->rank == 0 || !(run->test->op_csv_is_of_first || run->test->op_csv_is_of_all);
}

/* The files of a phase: one, or one for each verb of a cycle. */
static unsigned files_of(const struct weir_phase *phase)
{
    return phase->verb == WEIR_CYCLE ? phase->names.cycle_count : 1;
}

/* As md-workbench says it. */
static const char *word_of(enum weir_verb verb)
{
    return verb == WEIR_READ_FILE ? "read" : verb == WEIR_UNLINK ? "delete" : weir_verb_name(verb);
}

static const char *name_of(const struct weir_phase *phase)
{
    if (phase->names.log_name != NULL)
        return phase->names.log_name;
    return phase->is_check ? "check" : weir_verb_name(phase->verb);
}

/* Tests of a script inherit the prefix: from the second on, their number keeps the files apart. */
static int make_path(const struct weir_run *run, const struct weir_phase *phase,
                     uint64_t repetition, unsigned file, char path[PATH_MAX])
{
    char test[24] = "", rank[16] = "", number[16];
    int length;

    if (run->test->number > 0)
        snprintf(test, sizeof test, "-test%u", run->test->number);
    if (run->test->op_csv_is_of_all)
        snprintf(rank, sizeof rank, "-all");
    else if (!run->test->op_csv_is_of_first)
        snprintf(rank, sizeof rank, "-%05d", run->group->rank);
    snprintf(number, sizeof number, "%d", run->group->rank);
    if (phase->transfers.log_name != NULL)
        length =
            weir_test_offset_file(run->test, phase->transfers.log_name, number, path, PATH_MAX);
    else if (phase->verb == WEIR_CYCLE)
        length =
            snprintf(path, PATH_MAX, "%s%s-%s-%" PRIu64 "-%s%s.csv", run->test->op_csv_prefix, test,
                     name_of(phase), repetition, word_of(phase->names.cycle[file]), rank);
    else if (phase->names.log_name != NULL && repetition == 0)
        length = snprintf(path, PATH_MAX, "%s%s-%s%s.csv", run->test->op_csv_prefix, test,
                          phase->names.log_name, rank);
    else
        length = snprintf(path, PATH_MAX, "%s%s-%s-%" PRIu64 "%s.csv", run->test->op_csv_prefix,
                          test, name_of(phase), repetition, rank);
    return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* ---- before the test ---- */

static struct weir_output_file output_of(const struct weir_run *run, const struct weir_phase *phase,
                                         const char *path)
{
    bool has_offsets = phase->transfers.log_name != NULL;

    return (struct weir_output_file){.path = path,
                                     .place = PLACE,
                                     .kind = has_offsets ? WEIR_OUTPUT_OFFSETS : WEIR_OUTPUT_OP_CSV,
                                     .must_append = has_offsets,
                                     .may_overwrite = run->test->may_overwrite};
}

static int check_file(const struct weir_run *run, const struct weir_phase *phase,
                      uint64_t repetition, unsigned number, struct weir_error *error)
{
    char path[PATH_MAX];
    struct weir_output_file file;

    if (make_path(run, phase, repetition, number, path) != 0)
        return weir_error_usage(error, PLACE,
                                "the names of files would be longer than %d bytes: choose a "
                                "shorter prefix",
                                PATH_MAX - 1);
    file = output_of(run, phase, path);
    return weir_output_file_check(&file, error);
}

int weir_op_log_check(const struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error)
{
    int code = 0;

    if (!weir_op_log_is_wanted(run, phase) || !writes_files(run))
        return 0;
    for (uint64_t repetition = 0; code == 0 && repetition < run->test->repetitions; repetition++)
        for (unsigned file = 0; code == 0 && file < files_of(phase); file++)
            code = check_file(run, phase, repetition, file, error);
    return code;
}

/* ---- before and after a phase ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Touching memory beyond the limit would end the process. */
static bool has_memory(const struct weir_run *run, uint64_t bytes)
{
    struct weir_memory_facts facts;

    return weir_memory_describe("", &facts) != 0 ||
           bytes * (uint64_t)run->group->node_size <= facts.bytes_available / 2;
}

int weir_op_log_open(struct weir_op_log *log, const struct weir_run *run,
                     const struct weir_phase *phase, uint64_t op_limit)
{
    uint64_t capacity = op_limit * files_of(phase);
    size_t bytes;

    *log = (struct weir_op_log){0};
    if (op_limit == 0 || !has_own_log(run))
        return 0;
    if (phase->stop.minimum_ns != 0 && capacity < ENTRIES_UNKNOWN)
        capacity = ENTRIES_UNKNOWN;
    capacity = least(capacity, ENTRIES_MAX);
    bytes = (size_t)capacity * sizeof *log->entries;
    log->entries = has_memory(run, phase->transfers.log_name != NULL ? 2 * bytes : bytes)
                       ? malloc(bytes)
                       : NULL;
    if (log->entries == NULL)
        return -ENOMEM;
    memset(log->entries, 0xff, bytes);
    if (phase->transfers.log_name != NULL) {
        log->places = malloc((size_t)capacity * sizeof *log->places);
        if (log->places == NULL)
            return -ENOMEM;
        memset(log->places, 0xff, (size_t)capacity * sizeof *log->places);
    }
    log->capacity = capacity;
    return 0;
}

void weir_op_log_close(struct weir_op_log *log)
{
    free(log->entries);
    free(log->places);
    *log = (struct weir_op_log){0};
}

/* Transfers that were in flight together come in the order of their ends. */
static uint64_t first_start(const struct weir_op_log *log)
{
    uint64_t first = UINT64_MAX;

    for (uint64_t i = 0; i < log->count; i++)
        first = least(first, log->entries[i].issued_ns);
    return first;
}

/* The rows of one file. Bytes per second are those of IOR; of operations that move no data,
 * operations per second. */
struct rows {
    FILE *file;
    bool has_rate;   /* column tp */
    bool is_of_verb; /* only operations that are counted as `verb` */
    enum weir_op_verb verb;
    uint64_t bytes_per_op;
};

static void write_heading(const struct rows *rows)
{
    fputs(rows->has_rate ? "time,runtime,tp\n" : "time,runtime\n", rows->file);
}

static void write_entries(const struct rows *rows, const struct weir_op_entry *entries,
                          uint64_t count, uint64_t first_ns)
{
    double amount = rows->bytes_per_op > 0 ? (double)rows->bytes_per_op : 1.0;

    for (uint64_t i = 0; i < count; i++) {
        const struct weir_op_entry *entry = &entries[i];
        double seconds = (double)entry->duration_ns * 1e-9;

        if (rows->is_of_verb && entry->verb != rows->verb)
            continue;
        fprintf(rows->file, "%.8e,%.8e", (double)(entry->issued_ns - first_ns) * 1e-9, seconds);
        /* A clock too coarse to see a transfer is no reason for an infinite rate. */
        if (rows->has_rate)
            fprintf(rows->file, ",%e", amount / (entry->duration_ns > 0 ? seconds : 1e-9));
        fputc('\n', rows->file);
    }
}

static void write_offsets(FILE *file, const struct weir_op_log *log)
{
    fputs(WEIR_OUTPUT_OFFSETS_HEADING, file);
    for (uint64_t i = 0; i < log->count; i++)
        fprintf(file, "%10" PRIu64 " %10.0f %10" PRIu64 "\n", log->places[i].offset / 1024,
                (double)log->entries[i].duration_ns * 1e-3, log->places[i].bytes);
}

/* Sends the log of each rank to rank 0 in pieces, in the order of ranks, and writes it there to the
 * files of all verbs. Each entry is sent once, and rank 0 holds one piece. Collective; returns 0 or
 * -errno of the group. */
static int write_logs_of_all(const struct weir_op_log *log, struct weir_run *run,
                             const struct rows *rows, unsigned files)
{
    enum { PIECE = 4096 }; /* 64 KiB: above, larger messages are hardly faster */
    struct weir_group *group = run->group;
    struct weir_op_entry *piece = malloc(PIECE * sizeof *piece);
    uint64_t *counts = NULL, first_ns = first_start(log);
    int code = weir_run_collect(run, log->count, &counts);

    if (weir_group_any(group, code == 0 && piece == NULL))
        code = -ENOMEM;
    for (int rank = 0; code == 0 && rank < group->size; rank++)
        for (uint64_t done = 0; code == 0 && done < counts[rank]; done += PIECE) {
            uint64_t count = least(counts[rank] - done, PIECE);

            if (rank != group->rank && group->rank != 0)
                break;
            for (uint64_t i = 0; rank == group->rank && i < count; i++) {
                piece[i] = log->entries[done + i];
                piece[i].issued_ns -= first_ns;
            }
            if (rank != 0)
                code = group->rank == 0
                           ? group->ops->receive(group, piece, count * sizeof *piece, rank)
                           : group->ops->send(group, piece, count * sizeof *piece, 0);
            for (unsigned i = 0; code == 0 && i < files; i++)
                if (rows[i].file != NULL)
                    write_entries(&rows[i], piece, count, 0);
        }
    free(counts);
    free(piece);
    return code;
}

int weir_op_log_write(const struct weir_op_log *log, struct weir_run *run,
                      const struct weir_phase *phase, struct weir_error *error)
{
    bool is_cycle = phase->verb == WEIR_CYCLE;
    bool is_of_each = !run->test->op_csv_is_of_first && !run->test->op_csv_is_of_all;
    struct rows rows[WEIR_CYCLE_MAX] = {0};
    char paths[WEIR_CYCLE_MAX][PATH_MAX];
    unsigned files = files_of(phase);
    int code = 0;

    for (unsigned i = 0; writes_files(run) && code == 0 && i < files; i++) {
        struct weir_output_file output;
        int fd;

        if (make_path(run, phase, run->repetition, i, paths[i]) != 0) {
            code = -ENAMETOOLONG;
            break;
        }
        output = output_of(run, phase, paths[i]);
        code = weir_output_file_open(&output, &fd, error);
        if (code != 0)
            break;
        rows[i] = (struct rows){
            .file = fdopen(fd, "w"),
            .has_rate = !is_cycle && (is_of_each || phase->names.log_name == NULL),
            .is_of_verb = is_cycle,
            .verb = is_cycle ? weir_items_counted_as(phase->names.cycle[i]) : 0,
            .bytes_per_op = weir_phase_op_bytes(phase),
        };
        if (rows[i].file == NULL)
            code = weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, PLACE, "%s: %s", paths[i],
                                  strerror(errno));
        else
            setvbuf(rows[i].file, NULL, _IOFBF, FILE_BUFFER_BYTES);
    }
    for (unsigned i = 0; i < files; i++)
        if (rows[i].file != NULL && log->places == NULL)
            write_heading(&rows[i]);
    if (run->test->op_csv_is_of_all) {
        int group_code = write_logs_of_all(log, run, rows, files);

        code = code != 0 ? code : group_code;
    }
    for (unsigned i = 0; i < files; i++) {
        bool has_failed;

        if (rows[i].file == NULL)
            continue;
        errno = 0;
        if (log->places != NULL)
            write_offsets(rows[i].file, log);
        else if (!run->test->op_csv_is_of_all)
            write_entries(&rows[i], log->entries, log->count, first_start(log));
        has_failed = ferror(rows[i].file) != 0;
        has_failed |= fclose(rows[i].file) != 0;
        if (has_failed && code == 0)
            code = weir_error_set(error, WEIR_EXIT_ENVIRONMENT, errno != 0 ? -errno : -EIO, PLACE,
                                  "%s: %s: the transfers of this phase are not all in it", paths[i],
                                  strerror(errno != 0 ? errno : EIO));
    }
    return code;
}
