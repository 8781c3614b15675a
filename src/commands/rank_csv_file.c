/* SPDX-License-Identifier: Apache-2.0 */
/* Opened when a test begins, flushed when a phase ends, so that a job that is killed keeps its
 * finished phases. */
#include "rank_csv_file.h"

#include "weir/base/memory.h"
#include "weir/base/output_file.h"
#include "weir/base/remedy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool share_file(const struct weir_plan *plan, unsigned test, unsigned other)
{
    return plan->tests[test]->rank_csv_path != NULL && plan->tests[other]->rank_csv_path != NULL &&
           is_same_file(plan->tests[test]->rank_csv_path, plan->tests[other]->rank_csv_path);
}

static bool is_begun(const struct weir_plan *plan, const struct weir_resumption *resumption,
                     unsigned test)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if ((i < test || is_kept(resumption, i)) && share_file(plan, i, test) &&
            (!is_kept(resumption, i) || has_content(plan->tests[i]->rank_csv_path)))
            return true;
    return false;
}

/* ---- rows of an earlier run ---- */

/* Counts the rows that the file has of the first `repetitions` of a test. The values are not in the
 * result file, and do not matter for the number of rows. */
static uint64_t count_rows(const struct weir_plan *plan, const struct weir_result *from,
                           unsigned test, uint64_t repetitions)
{
    struct weir_rank_csv held = {0};
    struct weir_text text = {0};
    uint64_t count = 0;

    for (unsigned i = 0; i < from->phase_count; i++) {
        struct weir_phase_result phase = from->phases[i];
        struct weir_rank_row *rows;

        if (phase.test != test || phase.repetition >= repetitions)
            continue;
        rows = weir_memory_take(((size_t)phase.rank_count + 1) * sizeof *rows);
        phase.rows = rows;
        weir_rank_csv_add(&held, &text, plan, &phase);
        free(rows);
    }
    weir_rank_csv_end(&held, &text, plan, test);
    for (size_t i = 0; i < text.length; i++)
        count += text.data[i] == '\n';
    weir_text_close(&text);
    return count;
}

static uint64_t count_kept_rows(const struct weir_plan *plan,
                                const struct weir_resumption *resumption, unsigned test)
{
    if (!is_kept(resumption, test))
        return 0;
    return resumption->kept[test] != NULL
               ? count_rows(plan, resumption->kept[test], test, UINT64_MAX)
               : count_rows(plan, resumption->partly[test], test, resumption->repetitions[test]);
}

/* True if the first test of this run that writes to the file finds rows of an earlier run in it. */
static bool finds_earlier_rows(const struct weir_plan *plan,
                               const struct weir_resumption *resumption, unsigned test)
{
    if (resumption->kept == NULL || resumption->kept[test] != NULL)
        return false;
    for (unsigned i = 0; i < test; i++)
        if (resumption->kept[i] == NULL && share_file(plan, i, test))
            return false;
    return is_begun(plan, resumption, test);
}

/* Finds where the header and `rows` lines after it end. Returns 0, -ENODATA = the file has fewer
 * lines, or -errno. */
static int find_end_of_rows(int fd, uint64_t rows, off_t *end)
{
    char buffer[65536];
    uint64_t lines = 0;
    off_t offset = 0;
    ssize_t bytes;

    while ((bytes = pread(fd, buffer, sizeof buffer, offset)) > 0) {
        for (ssize_t i = 0; i < bytes; i++)
            if (buffer[i] == '\n' && ++lines == rows + 1) {
                *end = offset + i + 1;
                return 0;
            }
        offset += bytes;
    }
    return bytes < 0 ? -errno : -ENODATA;
}

/* Cuts what the file holds after the rows of all that is kept: rows of a repetition or test that
 * was cut and is run again. A descriptor of -1 only checks. */
static int cut_to_kept_rows(const struct weir_plan *plan, const struct weir_resumption *resumption,
                            unsigned test, int fd, struct weir_error *error)
{
    const char *path = plan->tests[test]->rank_csv_path;
    uint64_t rows = 0, dropped = 0;
    struct stat status;
    off_t end = 0;
    int reader, code;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    for (unsigned i = 0; i < plan->test_count; i++) {
        uint64_t kept, found;

        if (!share_file(plan, i, test))
            continue;
        kept = count_kept_rows(plan, resumption, i);
        if (kept > 0 && dropped > 0)
            return weir_error_usage(error, place,
                                    "--resume: %s has rows of a test that is run again before "
                                    "those of test %u, which is kept: move the file away, and "
                                    "those of this run go to a new one",
                                    path, i);
        rows += kept;
        found = resumption->kept[i] != NULL
                    ? kept
                    : count_rows(plan, resumption->runs[0].result, i, UINT64_MAX);
        dropped += found > kept ? found - kept : 0;
    }
    reader = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    code = reader < 0 ? -errno : find_end_of_rows(reader, rows, &end);
    if (reader >= 0)
        close(reader);
    if (code == -ENODATA)
        return weir_error_usage(error, place,
                                "--resume: %s has fewer than the %" PRIu64
                                " rows of kept tests and repetitions: "
                                "move the file away, and the rows of this run go to a new one",
                                path, rows);
    if (code == 0 && fd >= 0 && ftruncate(fd, end) != 0)
        code = -errno;
    if (code == 0)
        return 0;
    errno = -code;
    return fail(error, path);
}

int weir_rank_csv_file_check(const struct weir_plan *plan, const struct weir_resumption *resumption,
                             struct weir_error *error)
{
    int code = 0;

    for (unsigned i = 0; i < plan->test_count && code == 0; i++) {
        struct weir_output_file file = output_of(plan, i);

        if (file.path == NULL)
            continue;
        code = weir_output_file_check(&file, error);
        if (code == 0 && finds_earlier_rows(plan, resumption, i))
            code = cut_to_kept_rows(plan, resumption, i, -1, error);
    }
    return code;
}

/* ---- the file of a test ---- */

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
    if (finds_earlier_rows(plan, resumption, test))
        code = cut_to_kept_rows(plan, resumption, test, fd, error);
    if (code != 0) {
        close(fd);
        return code;
    }
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
