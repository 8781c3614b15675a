/* SPDX-License-Identifier: Apache-2.0 */
/* Stonewalls, as ranks agree upon them before and after the transfers. The status file's format is
 * IOR's: the largest number of transfers of a rank, in decimal, without a newline. mdtest's with
 * files and directories has that of files, which is all that mdtest reads, and a line "directories
 * N". */
#include "stop.h"

#include "weir/base/output_file.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_PLACE WEIR_REMEDY_STATUS_FILE

struct counts {
    uint64_t ops;
    uint64_t directories; /* 0 = not in the file */
};

/* Reads a count that some rank can have reached. Returns what follows its line, NULL = no count. */
static const char *read_count(const char *text, uint64_t *count)
{
    size_t digits = strspn(text, "0123456789");

    errno = 0;
    *count = strtoull(text, NULL, 10);
    if (errno != 0 || digits == 0 || *count == 0)
        return NULL;
    return text + digits + (text[digits] == '\n');
}

/* True if the file holds nothing but counts. */
static bool read_counts(int fd, struct counts *counts)
{
    static const char key[] = WEIR_STATUS_DIRECTORIES;
    char text[80] = "";
    ssize_t bytes = read(fd, text, sizeof text - 1);
    const char *end = read_count(text, &counts->ops);

    counts->directories = 0;
    if (end != NULL && weir_text_begins(end, key))
        end = read_count(end + strlen(key), &counts->directories);
    return end != NULL && end == text + bytes;
}

static int read_status(const char *path, struct counts *counts, struct weir_error *error)
{
    /* A pipe is not waited for: nothing is in it. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is_count;

    if (fd < 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, STATUS_PLACE,
                              "%s: %s: it is made by " WEIR_REMEDY_STATUS_WRITER, path,
                              strerror(errno));
    is_count = read_counts(fd, counts);
    close(fd);
    if (!is_count)
        return weir_error_usage(error, STATUS_PLACE, "%s: there is no count of transfers in it",
                                path);
    return 0;
}

static int write_status(const char *path, const struct counts *counts, struct weir_error *error)
{
    char text[80];
    int length =
        counts->directories > 0
            ? snprintf(text, sizeof text, "%" PRIu64 "\n" WEIR_STATUS_DIRECTORIES "%" PRIu64 "\n",
                       counts->ops, counts->directories)
            : snprintf(text, sizeof text, "%" PRIu64, counts->ops);
    int code = weir_output_file_replace(path, text, (size_t)length, 0);

    if (code == 0)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, STATUS_PLACE, "%s: %s", path,
                          strerror(-code));
}

/* The count belongs to files: a dry run, which makes none, leaves it alone. */
static bool has_status(const struct weir_run *run, const struct weir_phase *phase)
{
    return phase->stop.status_path != NULL && !run->test->is_dry_run;
}

int weir_stop_limit_by_status(struct weir_run *run, const struct weir_phase *phase, uint64_t *limit,
                              struct weir_error *error)
{
    bool are_directories = !weir_verb_moves_data(phase->verb) && phase->names.is_directory;
    struct counts counts = {0};
    uint64_t status;
    int code;

    if (!has_status(run, phase))
        return 0;
    if (run->group->rank == 0)
        read_status(phase->stop.status_path, &counts, error);
    /* A file of mdtest's own counts files alone: then all directories are worked on. */
    status = are_directories && counts.directories > 0 ? counts.directories
             : phase->stop.is_second_count             ? UINT64_MAX
                                                       : counts.ops;
    code = weir_group_agree(run->group, error);
    if (code == 0)
        code = weir_run_share(run, &status);
    if (code == 0 && status < *limit)
        *limit = status;
    return code;
}

int weir_stop_limit(struct weir_run *run, const struct weir_phase *phase, uint64_t owner,
                    uint64_t layout_ops, uint64_t *limit, struct weir_error *error)
{
    *limit = layout_ops;
    if (phase->stop.op_limit != 0 && phase->stop.op_limit < *limit)
        *limit = phase->stop.op_limit;
    if (!weir_verb_reads(phase->verb))
        return 0;
    if (weir_run_has_written(run, phase->target)) {
        if (run->written.ops_of_rank != NULL && run->written.ops_of_rank[owner] < *limit)
            *limit = run->written.ops_of_rank[owner];
        return 0;
    }
    return weir_stop_limit_by_status(run, phase, limit, error);
}

/* Kept only if some rank did less than its layout: at a hundred thousand ranks the list takes
 * memory on each. */
int weir_stop_remember(struct weir_run *run, uint64_t ops_done)
{
    free(run->written.ops_of_rank);
    run->written.ops_of_rank = NULL;
    if (!run->has_incomplete_rank)
        return 0;
    return weir_run_collect(run, ops_done, &run->written.ops_of_rank);
}

int weir_stop_store(struct weir_run *run, const struct weir_phase *phase, uint64_t ops_done,
                    struct weir_error *error)
{
    uint64_t furthest = ops_done * weir_layout_transfers_per_op(&phase->transfers.layout);
    struct counts counts;
    int code;

    if (!has_status(run, phase))
        return 0;
    code = weir_group_reduce(run->group, &furthest, 1, WEIR_MAX);
    if (code == 0 && phase->stop.is_second_count) {
        run->second_count = furthest;
        return 0;
    }
    counts = (struct counts){furthest, run->second_count};
    run->second_count = 0;
    if (code == 0 && run->group->rank == 0)
        write_status(phase->stop.status_path, &counts, error);
    return code != 0 ? code : weir_group_agree(run->group, error);
}

int weir_stop_check_status(const struct weir_test *test, const char *path, struct weir_error *error)
{
    return weir_output_file_check(&(struct weir_output_file){.path = path,
                                                             .place = STATUS_PLACE,
                                                             .kind = WEIR_OUTPUT_STATUS,
                                                             .may_overwrite = test->may_overwrite},
                                  error);
}

int weir_stop_furthest(struct weir_group *group, bool hit_deadline, uint64_t ops_done,
                       uint64_t *furthest)
{
    uint64_t values[2] = {hit_deadline, ops_done};
    int code = weir_group_reduce(group, values, 2, WEIR_MAX);

    *furthest = values[0] != 0 ? values[1] : 0;
    return code;
}
