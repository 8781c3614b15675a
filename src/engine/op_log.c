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

/* Whether this rank writes files. */
static bool is_mine(const struct weir_run *run)
{
    return !run->test->op_csv_is_of_first || run->group->rank == 0;
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
    if (!run->test->op_csv_is_of_first)
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

    if (!weir_op_log_is_wanted(run, phase) || !is_mine(run))
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
    if (op_limit == 0 || !is_mine(run))
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

static void write_entries(FILE *file, const struct weir_op_log *log, uint64_t transfer_bytes)
{
    uint64_t first_ns = first_start(log);

    fputs("time,runtime,tp\n", file);
    for (uint64_t i = 0; i < log->count; i++) {
        const struct weir_op_entry *entry = &log->entries[i];
        double seconds = (double)entry->duration_ns * 1e-9;
        /* A clock too coarse to see a transfer is no reason for an infinite rate. */
        double rate = (double)transfer_bytes / (entry->duration_ns > 0 ? seconds : 1e-9);

        fprintf(file, "%.8e,%.8e,%e\n", (double)(entry->issued_ns - first_ns) * 1e-9, seconds,
                rate);
    }
}

static void write_offsets(FILE *file, const struct weir_op_log *log)
{
    fputs(WEIR_OUTPUT_OFFSETS_HEADING, file);
    for (uint64_t i = 0; i < log->count; i++)
        fprintf(file, "%10" PRIu64 " %10.0f %10" PRIu64 "\n", log->places[i].offset / 1024,
                (double)log->entries[i].duration_ns * 1e-3, log->places[i].bytes);
}

static void write_entries_of(FILE *file, const struct weir_op_log *log, enum weir_op_verb verb)
{
    uint64_t first_ns = first_start(log);

    fputs("time,runtime\n", file);
    for (uint64_t i = 0; i < log->count; i++)
        if (log->entries[i].verb == verb)
            fprintf(file, "%.8e,%.8e\n", (double)(log->entries[i].issued_ns - first_ns) * 1e-9,
                    (double)log->entries[i].duration_ns * 1e-9);
}

static bool write_file(int fd, const struct weir_op_log *log, const struct weir_phase *phase,
                       unsigned number)
{
    FILE *file = fdopen(fd, "w");
    bool has_failed;

    if (file == NULL)
        return false;
    setvbuf(file, NULL, _IOFBF, FILE_BUFFER_BYTES);
    if (log->places != NULL)
        write_offsets(file, log);
    else if (phase->verb == WEIR_CYCLE)
        write_entries_of(file, log, weir_items_counted_as(phase->names.cycle[number]));
    else
        write_entries(file, log, weir_phase_op_bytes(phase));
    has_failed = ferror(file) != 0;
    has_failed |= fclose(file) != 0;
    return !has_failed;
}

static int write_one(const struct weir_op_log *log, const struct weir_run *run,
                     const struct weir_phase *phase, unsigned number, struct weir_error *error)
{
    char path[PATH_MAX];
    struct weir_output_file file;
    int code, fd;

    if (make_path(run, phase, run->repetition, number, path) != 0)
        return -ENAMETOOLONG;
    file = output_of(run, phase, path);
    code = weir_output_file_open(&file, &fd, error);
    if (code != 0)
        return code;
    errno = 0;
    if (write_file(fd, log, phase, number))
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, errno != 0 ? -errno : -EIO, PLACE,
                          "%s: %s: the transfers of this phase are not all in it", path,
                          strerror(errno != 0 ? errno : EIO));
}

int weir_op_log_write(const struct weir_op_log *log, const struct weir_run *run,
                      const struct weir_phase *phase, struct weir_error *error)
{
    int code = 0;

    for (unsigned file = 0; code == 0 && is_mine(run) && file < files_of(phase); file++)
        code = write_one(log, run, phase, file, error);
    return code;
}
