/* SPDX-License-Identifier: Apache-2.0 */
/* The second report of a test is whole after each phase. */
#include "side_report.h"

#include "weir/base/output_file.h"

#include <errno.h>
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
