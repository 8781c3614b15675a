/* SPDX-License-Identifier: Apache-2.0 */
/* Stonewalls, as ranks agree upon them before and after the transfers. The status file's format is
 * IOR's: the largest number of transfers of a rank, in decimal, without a newline. */
#include "stop.h"

#include "weir/base/output_file.h"
#include "weir/base/remedy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_PLACE WEIR_REMEDY_STATUS_FILE

/* True if the file holds nothing but a count that some rank can have reached. */
static bool read_count(int fd, uint64_t *ops)
{
    char text[32] = "";
    ssize_t bytes = read(fd, text, sizeof text - 1);
    size_t digits = strspn(text, "0123456789");

    errno = 0;
    *ops = strtoull(text, NULL, 10);
    return errno == 0 && digits > 0 && (ssize_t)digits + (text[digits] == '\n') == bytes &&
           *ops > 0;
}

static int read_status(const char *path, uint64_t *ops, struct weir_error *error)
{
    /* A pipe is not waited for: nothing is in it. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is_count;

    if (fd < 0)
        return weir_error_usage(error, STATUS_PLACE,
                                "%s: %s: it is made by a write with " WEIR_REMEDY_DEADLINE
                                " and " WEIR_REMEDY_WEAR_OUT,
                                path, strerror(errno));
    is_count = read_count(fd, ops);
    close(fd);
    if (!is_count)
        return weir_error_usage(error, STATUS_PLACE, "%s: there is no count of transfers in it",
                                path);
    return 0;
}

static int write_status(const char *path, uint64_t ops, struct weir_error *error)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRIu64, ops);
    int code = weir_output_file_replace(path, text, (size_t)length);

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
    uint64_t status = 0;
    int code;

    if (!has_status(run, phase))
        return 0;
    if (run->group->rank == 0)
        read_status(phase->stop.status_path, &status, error);
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
    int code;

    if (!has_status(run, phase))
        return 0;
    code = weir_group_reduce(run->group, &furthest, 1, WEIR_MAX);
    if (code == 0 && run->group->rank == 0)
        write_status(phase->stop.status_path, furthest, error);
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
