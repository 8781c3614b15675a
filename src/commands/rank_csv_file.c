/* SPDX-License-Identifier: Apache-2.0 */
/* Opened when a test begins, flushed when a phase ends, so that a job that is killed keeps its
 * finished phases. */
#include "rank_csv_file.h"

#include "weir/base/output_file.h"
#include "weir/base/remedy.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char place[] = WEIR_REMEDY_RANK_FILE;

static int fail(struct weir_error *error, const char *path)
{
    int code = errno != 0 ? -errno : -EIO;

    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, place, "%s: %s", path,
                          strerror(-code));
}

static struct weir_output_file output_of(const struct weir_plan *plan, unsigned test)
{
    return (struct weir_output_file){.path = plan->tests[test]->rank_csv_path,
                                     .place = place,
                                     .kind = WEIR_OUTPUT_RANK_CSV,
                                     .may_overwrite = plan->tests[test]->may_overwrite};
}

int weir_rank_csv_file_check(const struct weir_plan *plan, struct weir_error *error)
{
    int code = 0;

    for (unsigned i = 0; i < plan->test_count && code == 0; i++) {
        struct weir_output_file file = output_of(plan, i);

        if (file.path != NULL)
            code = weir_output_file_check(&file, error);
    }
    return code;
}

/* Two names may be those of one file. */
static bool is_same_file(const char *path, const char *other)
{
    struct stat status, other_status;

    if (strcmp(path, other) == 0)
        return true;
    return stat(path, &status) == 0 && stat(other, &other_status) == 0 &&
           status.st_dev == other_status.st_dev && status.st_ino == other_status.st_ino;
}

/* By the run that the kept tests are of, unless it was removed since. */
static bool has_content(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && status.st_size > 0;
}

/* In whole or in part. */
static bool is_kept(const struct weir_resumption *resumption, unsigned test)
{
    return resumption->kept != NULL &&
           (resumption->kept[test] != NULL || resumption->repetitions[test] > 0);
}

static bool is_begun(const struct weir_plan *plan, const struct weir_resumption *resumption,
                     unsigned test)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if (plan->tests[i]->rank_csv_path != NULL && (i < test || is_kept(resumption, i)) &&
            (!is_kept(resumption, i) || has_content(plan->tests[i]->rank_csv_path)) &&
            is_same_file(plan->tests[i]->rank_csv_path, plan->tests[test]->rank_csv_path))
            return true;
    return false;
}

static int write_out(struct weir_rank_csv_file *side, const char *text, struct weir_error *error)
{
    errno = 0;
    if (fputs(text, side->file) != EOF && fflush(side->file) == 0)
        return 0;
    return fail(error, side->path);
}

int weir_rank_csv_file_open(struct weir_rank_csv_file *side, const struct weir_plan *plan,
                            const struct weir_resumption *resumption, unsigned test,
                            struct weir_error *error)
{
    struct weir_output_file file = output_of(plan, test);
    int code = weir_rank_csv_file_close(side, error);
    int fd;

    if (file.path == NULL || code != 0)
        return code;
    file.must_append = is_begun(plan, resumption, test);
    code = weir_output_file_open(&file, &fd, error);
    if (code != 0)
        return code;
    *side = (struct weir_rank_csv_file){.path = file.path, .plan = plan, .test = test};
    side->file = fdopen(fd, file.must_append ? "a" : "w");
    if (side->file == NULL)
        return fail(error, file.path);
    return file.must_append ? 0 : write_out(side, weir_rank_csv_header(plan, test), error);
}

int weir_rank_csv_file_add(struct weir_rank_csv_file *side, const struct weir_plan *plan,
                           const struct weir_phase_result *phase, struct weir_error *error)
{
    struct weir_text rows = {0};
    int code = 0;

    if (side->file == NULL)
        return 0;
    weir_rank_csv_add(&side->held, &rows, plan, phase);
    if (rows.length > 0)
        code = write_out(side, weir_text_string(&rows), error);
    weir_text_close(&rows);
    return code;
}

int weir_rank_csv_file_close(struct weir_rank_csv_file *side, struct weir_error *error)
{
    FILE *file = side->file;
    struct weir_text rows = {0};
    int code = 0;

    if (file == NULL)
        return 0;
    weir_rank_csv_end(&side->held, &rows, side->plan, side->test);
    if (rows.length > 0)
        code = write_out(side, weir_text_string(&rows), error);
    weir_text_close(&rows);
    side->file = NULL;
    errno = 0;
    if (fclose(file) != 0 && code == 0)
        code = fail(error, side->path);
    return code;
}
