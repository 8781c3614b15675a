/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that print something and run nothing. */

#include "outlook.h"
#include "show_report.h"
#include "show_topology.h"

#include "weir/base/log.h"
#include "weir/base/output_file.h"
#include "weir/commands/commands.h"
#include "weir/doctor/doctor.h"
#include "weir/io/backend.h"
#include "weir/report/compare.h"
#include "weir/report/expect.h"
#include "weir/report/export.h"
#include "weir/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void describe_backends(struct weir_text *text)
{
    weir_text_add(text, "%-10s %-10s %-8s %s\n", "backend", "IOR's name", "alias", "what it is");
    for (size_t i = 0; i < weir_registry.count; i++) {
        const struct weir_descriptor *descriptor = &weir_registry.backends[i]->descriptor;

        weir_text_add(text, "%-10s %-10s %-8s %s\n", descriptor->name, descriptor->label,
                      descriptor->alias != NULL ? descriptor->alias : "", descriptor->summary);
    }
    for (const char *const *reason = weir_registry.left_out; *reason != NULL; reason++)
        weir_text_add(text, "left out: %s\n", *reason);
}

/* Options that the front end changed or ignored; the report of a run lists them. */
static void tell_remarks(const struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];

        for (size_t k = 0; k < test->remark_count; k++) {
            if (weir_plan_repeats_remark(plan, test, k))
                continue;
            if (plan->test_count > 1)
                weir_log(WEIR_LOG_WARNING, "%s: test %u: %s", test->dialect, test->number,
                         test->remarks[k]);
            else
                weir_log(WEIR_LOG_WARNING, "%s: %s", test->dialect, test->remarks[k]);
        }
    }
}

/* The plan's own text has names as they are, as its hash is the plan's id. */
static void explain(const struct weir_plan *plan, unsigned ranks, struct weir_text *text)
{
    weir_plan_explain(plan, text);
    weir_outlook_add(text, plan, ranks);
    weir_text_make_visible(text->data, "\n");
}

/* To a file, or to standard output if `path` is NULL. */
static int print(const char *text, const char *path, bool is_replaced, struct weir_error *error)
{
    struct weir_output_file file = {.path = path,
                                    .place = is_replaced ? "--output" : "--summary-file",
                                    .kind = WEIR_OUTPUT_REPORT,
                                    .is_held = weir_report_is_held,
                                    .is_renamed = is_replaced};
    int fd = STDOUT_FILENO;
    int code = is_replaced    ? weir_output_file_check(&file, error)
               : path != NULL ? weir_output_file_open(&file, &fd, error)
                              : 0;

    if (code != 0)
        return code;
    if (is_replaced)
        code = weir_output_file_replace(path, text, strlen(text), 0644);
    else
        code = weir_output_file_write(fd, text, strlen(text));
    if (fd != STDOUT_FILENO && close(fd) != 0 && code == 0)
        code = -errno;
    if (code == 0)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, path, "cannot be written: %s",
                          strerror(-code));
}

/* ---- this host, or another one ---- */

static int describe_host(const struct weir_command *command, const struct weir_group *group,
                         struct weir_text *text, struct weir_error *error)
{
    const struct weir_host_question *question = &command->question;
    const struct weir_doctor_params params = {.registry = &weir_registry,
                                              .path = question->path,
                                              .pinning = &question->pinning,
                                              .rank_count = question->rank_count,
                                              .mismatch = &group->mismatch,
                                              .root = ""};
    struct weir_diagnosis diagnosis = {0};
    int code;

    if (strcmp(question->format, "json") != 0)
        return weir_doctor_write(&params, text, error);
    code = weir_doctor_examine(&params, &diagnosis, error);
    if (code == 0)
        weir_report_diagnosis(&diagnosis, question->path, text);
    weir_diagnosis_close(&diagnosis);
    return code;
}

/* ---- all of them ---- */

static int write_page(const struct weir_command *command, const struct weir_group *group,
                      struct weir_text *text, int *exit_code, struct weir_error *failed,
                      struct weir_error *error)
{
    unsigned ranks = (unsigned)group->size;

    /* Reports of runs begin with the same line. */
    if (group->mismatch.fact[0] != '\0' &&
        (command->kind == WEIR_COMMAND_EXPLAIN || command->kind == WEIR_COMMAND_NET_EXPLAIN ||
         command->kind == WEIR_COMMAND_TOPOLOGY))
        weir_text_add(text, "WARNING: %s; %s\n", group->mismatch.fact, group->mismatch.remedy);
    switch (command->kind) {
    case WEIR_COMMAND_SAY:
        weir_text_add(text, "%s", weir_text_string(&command->text));
        return 0;
    case WEIR_COMMAND_BACKENDS:
        describe_backends(text);
        return 0;
    case WEIR_COMMAND_EXPLAIN:
        explain(command->plan, ranks, text);
        return weir_expect_check(command->plan->output.expect, command->plan, WEIR_EXPECT_PLACE,
                                 error);
    case WEIR_COMMAND_REPORT:
        return weir_show_report(command, text, failed, error);
    case WEIR_COMMAND_COMPARE:
        return weir_report_compare(&command->compare, text, exit_code, error);
    case WEIR_COMMAND_EXPORT:
        return weir_export_sqlite(&command->export, text, error);
    case WEIR_COMMAND_DOCTOR:
        return describe_host(command, group, text, error);
    case WEIR_COMMAND_TOPOLOGY:
        return weir_show_topology(&command->question, text, error);
    case WEIR_COMMAND_NET_EXPLAIN:
        weir_net_plan_explain(command->net, text);
        weir_net_outlook_add(command->net, ranks, text);
        return weir_expect_check_net(command->net->expect,
                                     weir_net_measure_name(command->net->measure),
                                     WEIR_EXPECT_PLACE, error);
    case WEIR_COMMAND_RUN:
    case WEIR_COMMAND_NET:
    case WEIR_COMMAND_SERVE:
        break;
    }
    return 0;
}

static const struct weir_remedy_word *words_of(const struct weir_command *command)
{
    return command->plan != NULL ? weir_report_words_of(command->plan, 0)
                                 : weir_report_words(command->dialect);
}

void weir_use_words_of(const struct weir_command *command)
{
    weir_log_set_words(words_of(command));
}

int weir_show(const struct weir_command *command, const struct weir_group *group, int *exit_code,
              struct weir_error *error)
{
    struct weir_text text = {0};
    struct weir_error failed = {0};
    int code = write_page(command, group, &text, exit_code, &failed, error);
    bool is_compared = command->kind == WEIR_COMMAND_COMPARE;
    const char *path = is_compared                            ? command->compare.output_path
                       : command->kind == WEIR_COMMAND_REPORT ? command->output.summary_path
                                                              : NULL;

    if (command->kind != WEIR_COMMAND_SAY && command->kind != WEIR_COMMAND_REPORT &&
        command->kind != WEIR_COMMAND_COMPARE && command->kind != WEIR_COMMAND_EXPORT)
        weir_report_spell(&text, 0, words_of(command));
    if (code == 0)
        code = print(weir_text_string(&text), path,
                     path != NULL && (is_compared || command->report.is_replaced), error);
    weir_text_close(&text);
    if (code == 0 && command->kind == WEIR_COMMAND_EXPLAIN)
        tell_remarks(command->plan);
    if (code == 0 && weir_error_is_set(&failed)) {
        *error = failed;
        code = failed.code;
    }
    return code;
}
