/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces an earlier results.xml, as Parabench does. */
#include "xml_file.h"

#include "weir/base/output_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct weir_output_file output_of(const struct weir_plan *plan, unsigned test)
{
    return (struct weir_output_file){.path = weir_test_setting(plan->tests[test], "xml"),
                                     .place = "-e",
                                     .kind = WEIR_OUTPUT_REPORT,
                                     .is_held = weir_report_is_held,
                                     .may_overwrite = plan->tests[test]->may_overwrite};
}

int weir_xml_file_check(const struct weir_plan *plan, unsigned test, struct weir_error *error)
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

int weir_xml_file_write(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_error *error)
{
    struct weir_output_file file = output_of(plan, phase->test);
    const struct weir_output output = {.reporter = "parabench xml"};
    struct weir_text text = {0};
    int code = 0;

    if (file.path != NULL)
        weir_reporter_find(&output)->phase_done(&text, plan, result, phase);
    if (text.length > 0)
        code = write_text(&file, &text, error);
    weir_text_close(&text);
    return code;
}
