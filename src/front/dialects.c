/* SPDX-License-Identifier: Apache-2.0 */
/* The table of dialects, and what all of them do with a command line. */
#include "dialect.h"

#include "dd/dd.h"
#include "ior/ior.h"
#include "iozone/iozone.h"
#include "mdtest/mdtest.h"
#include "mdworkbench/mdworkbench.h"
#include "parabench/parabench.h"
#include "targets/targets.h"

#include "weir/base/text.h"
#include "weir/base/version.h"

#include <errno.h>
#include <string.h>

const struct weir_dialect *const weir_dialects[] = {
    &weir_dialect_ior, &weir_dialect_mdtest,    &weir_dialect_mdworkbench, &weir_dialect_iozone,
    &weir_dialect_dd,  &weir_dialect_parabench, &weir_dialect_targets,     NULL};

const struct weir_dialect *weir_dialect_find(const char *name)
{
    for (size_t i = 0; weir_dialects[i] != NULL; i++)
        if (strcmp(weir_dialects[i]->name, name) == 0 ||
            (weir_dialects[i]->alias != NULL && strcmp(weir_dialects[i]->alias, name) == 0))
            return weir_dialects[i];
    return NULL;
}

/* Scripts call the program as ior, ior-4.1 or ior-weir, and know nothing of ours. */
const struct weir_dialect *weir_dialect_of_program(const struct weir_invocation *invocation)
{
    const char *path = invocation->argc > 0 ? invocation->argv[0] : "";
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    for (size_t i = 0; weir_dialects[i] != NULL; i++) {
        const struct weir_dialect *dialect = weir_dialects[i];
        const char *program = dialect->program != NULL ? dialect->program : dialect->name;

        if (weir_text_begins(name, program))
            return dialect;
    }
    return NULL;
}

void weir_front_add_version(struct weir_text *text)
{
    weir_text_add(text, "weir " WEIR_VERSION " (");
    for (size_t i = 0; weir_dialects[i] != NULL; i++)
        if (weir_dialects[i]->imitates != NULL)
            weir_text_add(text, "%s%s", i > 0 ? ", " : "", weir_dialects[i]->imitates);
    weir_text_add(text, " formats)\nweir export sqlite: " WEIR_SQLITE "\n");
}

/* ---- command lines ---- */

bool weir_dialect_say(const struct weir_dialect *dialect, const struct weir_backends *backends,
                      const struct weir_orders *orders, struct weir_command *command)
{
    if (orders->help)
        weir_front_request_add_help(&command->text, dialect->tables, backends);
    else if (orders->version)
        weir_front_add_version(&command->text);
    else
        return false;
    command->kind = WEIR_COMMAND_SAY;
    return true;
}

int weir_dialect_add_environment(const struct weir_dialect *dialect, struct weir_plan *plan,
                                 int first, struct weir_error *error)
{
    int failure = weir_front_request_add_permission(plan, first, dialect->name, error);

    if (!failure && dialect->add_environment)
        failure = dialect->add_environment(plan, first, error);
    return failure;
}

/* Everything at its default; in `arena`, as are all texts that are read into it. */
static struct weir_front_request *new_request(const struct weir_dialect *dialect,
                                              struct weir_arena *arena,
                                              const struct weir_backends *backends)
{
    char *own = weir_arena_take(arena, dialect->request_bytes);
    struct weir_front_request *request = (struct weir_front_request *)own;

    weir_front_request_init(
        request, dialect->tables,
        (void *[]){own + dialect->options_offset, own + dialect->additions_offset}, arena,
        backends);
    weir_options_reset(&request->parser);
    return request;
}

struct weir_front_request *weir_dialect_read_request(const struct weir_dialect *dialect,
                                                     struct weir_plan *plan,
                                                     const struct weir_backends *backends,
                                                     int count, const char *const words[],
                                                     struct weir_orders *orders,
                                                     struct weir_error *error)
{
    struct weir_front_request *request = new_request(dialect, &plan->arena, backends);
    int options = count;
    int failure = 0;

    if (dialect->spell) {
        words = dialect->spell(request, &options, words, error);
        failure = words == NULL ? -EINVAL : 0;
    }
    if (!failure && dialect->take_words) {
        const char **parted = weir_arena_take(&plan->arena, ((size_t)count + 1) * sizeof *parted);

        options = weir_options_part(&request->parser, count, words, parted);
        words = parted;
    }
    if (!failure)
        failure = weir_front_request_parse(request, options, words, dialect->tables->orders, orders,
                                           error);
    if (!failure && dialect->take_words)
        failure = dialect->take_words(request, count - options, words + options, error);
    if (!failure && dialect->read_more)
        failure = dialect->read_more(plan, request, orders, error);
    return failure ? NULL : request;
}

int weir_dialect_read(const struct weir_dialect *dialect, const struct weir_invocation *invocation,
                      struct weir_command *command, struct weir_error *error)
{
    struct weir_plan *plan = weir_plan_open(dialect->name, invocation->argc, invocation->argv);
    struct weir_front_request *request = NULL;
    struct weir_orders orders = {0};
    int failure = weir_dialect_add_environment(dialect, plan, invocation->first, error);

    if (!failure)
        request = weir_dialect_read_request(dialect, plan, invocation->backends,
                                            (int)plan->source.word_count - invocation->first,
                                            plan->source.words + invocation->first, &orders, error);
    if (request != NULL && !weir_dialect_say(dialect, invocation->backends, &orders, command)) {
        failure = dialect->lower(plan, request, error);
        failure = failure ? failure : weir_plan_freeze(plan, error);
        plan->output.is_apart = weir_dialect_of_program(invocation) == dialect;
        command->kind = orders.explain ? WEIR_COMMAND_EXPLAIN : WEIR_COMMAND_RUN;
        command->plan = failure ? NULL : plan;
    }
    if (!command->plan)
        weir_plan_close(plan);
    return error->code;
}

/* ---- weir report ---- */

/* Formats of all dialects, after those of the dialect itself: IOR has its own csv and json. */
static const struct weir_dialect_format all_formats[] = {{"csv", WEIR_REPORTER_CSV},
                                                         {"json", WEIR_REPORTER_JSON},
                                                         {"csv-long", WEIR_REPORTER_CSV},
                                                         {"json-long", WEIR_REPORTER_JSON},
                                                         {"influx", WEIR_REPORTER_INFLUX},
                                                         {"openmetrics", WEIR_REPORTER_METRICS},
                                                         {"sweep", "sweep"},
                                                         {"verdict", "verdict"},
                                                         {"markdown", "markdown"},
                                                         {"junit", "junit"},
                                                         {"tap", "tap"},
                                                         {0}};

static const char *find_reporter(const struct weir_dialect *dialect, const char *word)
{
    if (word == NULL)
        return dialect->formats->reporter;
    for (const struct weir_dialect_format *row = dialect->formats; row->word != NULL; row++)
        if (strcmp(row->word, word) == 0)
            return row->reporter;
    for (const struct weir_dialect_format *row = all_formats; row->word != NULL; row++)
        if (strcmp(row->word, word) == 0)
            return row->reporter;
    return NULL;
}

const char *weir_front_data_format(const char *word)
{
    for (const struct weir_dialect_format *row = all_formats; word != NULL && row->word; row++)
        if (strcmp(row->word, word) == 0 &&
            weir_text_list_has("csv-long,json-long,influx,openmetrics", word))
            return row->reporter;
    return NULL;
}

bool weir_front_is_drawn(const struct weir_report_request *request)
{
    return request->picture != NULL ||
           (request->format != NULL && strcmp(request->format, "html") == 0);
}

static int refuse_format(const struct weir_dialect *dialect, const char *word, const char *place,
                         struct weir_error *error)
{
    struct weir_text words = {0};

    for (const struct weir_dialect_format *row = dialect->formats; row->word != NULL; row++)
        weir_text_add(&words, "%s%s", words.length > 0 ? "|" : "", row->word);
    for (const struct weir_dialect_format *row = all_formats; row->word != NULL; row++)
        if (find_reporter(dialect, row->word) == row->reporter)
            weir_text_add(&words, "|%s", row->word);
    if (strcmp(place, "report") == 0)
        weir_text_add(&words, "|html|svg|gnuplot|text");
    weir_error_usage(error, place, "--format: \"%s\" is not one of %s", word,
                     weir_text_string(&words));
    weir_text_close(&words);
    return error->code;
}

int weir_front_choose_reporter(const char *dialect_name, const struct weir_report_request *request,
                               struct weir_output *output, struct weir_error *error)
{
    const struct weir_dialect *dialect = weir_dialect_find(dialect_name);
    int failure = 0;

    if (dialect == NULL)
        return weir_error_usage(error, "report", "this version does not know the dialect \"%s\"",
                                dialect_name);
    output->reporter = find_reporter(dialect, request->format);
    if (output->reporter == NULL)
        return refuse_format(dialect, request->format, "report", error);
    output->summary_path = request->summary_path;
    output->result_path = NULL;
    output->is_plain = request->is_plain;
    output->has_details |= request->has_details;
    if (request->compat != NULL && dialect->read_style == NULL)
        return weir_error_usage(error, "report", "--compat: reports of %s have one layout",
                                dialect->name);
    if (request->compat != NULL)
        failure = dialect->read_style(request->compat, "report", error, &output->style);
    if (failure == 0)
        failure = weir_output_check(output, "report", error);
    if (failure == 0 && dialect->check_output != NULL)
        failure = dialect->check_output(output, "report", error);
    return failure;
}
