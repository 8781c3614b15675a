/* SPDX-License-Identifier: Apache-2.0 */
/* The second report of a test is complete after each phase. */
#include "side_report.h"

#include "weir/base/log.h"
#include "weir/base/output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct weir_output_file output_of(const struct weir_plan *plan, unsigned test)
{
    struct weir_output_file file = {.kind = WEIR_OUTPUT_REPORT,
                                    .is_held = weir_report_is_held,
                                    .may_overwrite = plan->tests[test]->may_overwrite};

    file.path = weir_report_side_path(plan, test, &file.place);
    return file;
}

int weir_side_report_check(const struct weir_plan *plan, unsigned test, struct weir_error *error)
{
    struct weir_output_file file = output_of(plan, test);

    return file.path == NULL ? 0 : weir_output_file_check(&file, error);
}

static int write_text(const struct weir_output_file *file, const struct weir_text *text,
                      struct weir_error *error)
{
    int fd, code = weir_output_file_open(file, &fd, error);

    if (code != 0)
        return code;
    code = weir_output_file_write(fd, weir_text_string(text), text->length);
    if (close(fd) != 0 && code == 0)
        code = -EIO;
    return code == 0 ? 0
                     : weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, file->place, "%s: %s",
                                      file->path, strerror(-code));
}

int weir_side_report_write(const struct weir_plan *plan, const struct weir_result *result,
                           const struct weir_phase_result *phase, struct weir_error *error)
{
    struct weir_output_file file = output_of(plan, phase->test);
    struct weir_text text = {0};
    int code = 0;

    if (file.path != NULL)
        weir_report_side(&text, plan, result, phase);
    if (text.length > 0)
        code = write_text(&file, &text, error);
    weir_text_close(&text);
    return code;
}

/* ---- interrupted below PRRTE ---- */

void weir_spare_report_open(struct weir_spare_report *spare, bool has_file)
{
    *spare = (struct weir_spare_report){.is_kept = getenv("PRTE_LAUNCHED") != NULL && !has_file};
}

void weir_spare_report_add(struct weir_spare_report *spare, const struct weir_text *printed)
{
    if (spare->is_kept)
        weir_text_add_bytes(&spare->text, weir_text_string(printed), printed->length);
}

void weir_spare_report_close(struct weir_spare_report *spare, uint64_t run_id, bool is_interrupted)
{
    char path[64];
    int code;

    if (spare->is_kept && is_interrupted && spare->text.length > 0) {
        snprintf(path, sizeof path, "weir-interrupted-%016" PRIx64 ".txt", run_id);
        code = weir_output_file_replace(path, spare->text.data, spare->text.length, 0);
        if (code == 0)
            weir_log(WEIR_LOG_WARNING,
                     "prterun may not print the rest of the report: all of it is in %s", path);
        else
            weir_log(WEIR_LOG_WARNING,
                     "prterun may not print the rest of the report, and %s cannot be written: %s; "
                     "give --result",
                     path, strerror(-code));
    }
    weir_text_close(&spare->text);
    spare->is_kept = false;
}
