/* SPDX-License-Identifier: Apache-2.0 */
/* The front door: from argv to a command, by the name of the program and its first word. */
#include "weir/front/front.h"

#include "ior_lower.h"
#include "ior_options.h"
#include "ior_script.h"
#include "weir/base/version.h"

#include <errno.h>
#include <string.h>

static const char general_help[] =
    "weir " WEIR_VERSION
    ": measures parallel storage, and says how far each number can be believed\n"
    "\n"
    "  weir ior [options]      run IOR's benchmark; the same as calling this program as ior\n"
    "  weir [options]          the same\n"
    "  weir backends           list the ways to do I/O that were built, and those that were not\n"
    "  weir report FILE [--format ior|csv|json] [--plain] [--summary-file FILE]\n"
    "                          tell a result again that was kept with --result\n"
    "  weir ior --help         all options of IOR and of the backends\n"
    "  weir --version          version of this program and of the formats it prints\n"
    "\n"
    "Examples\n"
    "  mpiexec -n 4 weir ior -w -r -t 1m -b 1g -e -C -o /scratch/file\n"
    "  mpiexec -n 4 weir ior -a mpiio -c -F -W -R -o /scratch/file --result run.jsonl\n"
    "  weir ior -z -t 4k -b 1m -F --explain\n";

static const char version_text[] = "weir " WEIR_VERSION " (IOR " WEIR_IOR_VERSION " formats)\n";

/* The words that a command reads: argv without the program's and the command's own. */
struct invocation {
    int argc;
    const char *const *argv;
    int first; /* index of the first word to read */
    const struct weir_backends *backends;
};

static int say(struct weir_command *command, const char *words)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_text_add(&command->text, "%s", words);
    return 0;
}

/* ---- IOR ---- */

static int lower_requests(struct weir_plan *plan, const struct weir_ior_request *request,
                          struct weir_error *error)
{
    int failure = 0;

    for (; request && !failure; request = request->next) {
        failure = weir_ior_lower(plan, request, error);
        if (!request->next)
            weir_ior_lower_output(&plan->output, request);
    }
    return failure ? failure : weir_plan_freeze(plan, error);
}

static int build_ior_plan(struct weir_plan *plan, struct weir_ior_request *request,
                          struct weir_error *error)
{
    int failure = 0;

    if (request->ior.script_path)
        failure = weir_ior_script_read(request, request->ior.script_path, error);
    return failure ? failure : lower_requests(plan, request, error);
}

static int read_ior(const struct invocation *invocation, struct weir_command *command,
                    struct weir_error *error)
{
    struct weir_plan *plan = weir_plan_open("ior", invocation->argc, invocation->argv);
    struct weir_ior_request *request = weir_ior_request_new(&plan->arena, invocation->backends);
    struct weir_ior_orders orders = {0};
    int failure = weir_ior_request_parse(request, invocation->argc - invocation->first,
                                         invocation->argv + invocation->first, &orders, error);

    if (!failure && orders.help) {
        command->kind = WEIR_COMMAND_SAY;
        weir_ior_help(&command->text, invocation->backends);
    } else if (!failure && orders.version) {
        say(command, version_text);
    } else if (!failure) {
        failure = build_ior_plan(plan, request, error);
        command->kind = orders.explain ? WEIR_COMMAND_EXPLAIN : WEIR_COMMAND_RUN;
        command->plan = failure ? NULL : plan;
    }
    if (!command->plan)
        weir_plan_close(plan);
    return failure;
}

/* ---- the program's own commands ---- */

static int read_backends(const struct invocation *invocation, struct weir_command *command,
                         struct weir_error *error)
{
    if (invocation->first < invocation->argc)
        return weir_error_usage(error, "backends", "\"%s\" is a word too many",
                                invocation->argv[invocation->first]);
    command->kind = WEIR_COMMAND_BACKENDS;
    return 0;
}

struct report_values {
    const char *format;
    const char *summary_path;
    int64_t is_plain;
};

static const struct weir_option report_rows[] = {
    {0, "format", WEIR_OPTION_CHOICE, offsetof(struct report_values, format), "ior", "ior|csv|json",
     .help = "format of the report"},
    {0, "plain", WEIR_OPTION_FLAG, offsetof(struct report_values, is_plain),
     .help = "print what IOR prints, and nothing of our own"},
    {0, "summary-file", WEIR_OPTION_TEXT, offsetof(struct report_values, summary_path),
     .help = "the report goes there and not to standard output"},
    {0},
};
static const struct weir_option_set report_set = {"report", report_rows,
                                                  sizeof(struct report_values)};

static enum weir_format format_of(const char *word)
{
    if (strcmp(word, "csv") == 0)
        return WEIR_FORMAT_IOR_CSV;
    return strcmp(word, "json") == 0 ? WEIR_FORMAT_IOR_JSON : WEIR_FORMAT_IOR;
}

static int say_report_help(struct weir_command *command)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_text_add(&command->text,
                  "Usage: weir report FILE [OPTION...]\n\n"
                  "Prints the report of the last run in a result file (--result) again.\n");
    weir_options_help(&command->text, &report_set);
    return 0;
}

static int read_report(const struct invocation *invocation, struct weir_command *command,
                       struct weir_error *error)
{
    struct report_values values;
    const struct weir_option_binding binding = {&report_set, &values};
    const struct weir_option_parser parser = {"report", &command->arena, &binding, 1};
    int options = invocation->first + 1;

    if (options <= invocation->argc &&
        (strcmp(invocation->argv[invocation->first], "--help") == 0 ||
         strcmp(invocation->argv[invocation->first], "-h") == 0))
        return say_report_help(command);
    if (options > invocation->argc || invocation->argv[invocation->first][0] == '-')
        return weir_error_usage(error, parser.place,
                                "the result file is missing; it comes first: weir report FILE "
                                "[--format ior|csv|json] [--plain] [--summary-file FILE]");
    weir_options_reset(&parser);
    if (weir_options_parse(&parser, invocation->argc - options, invocation->argv + options, error))
        return -EINVAL;
    command->kind = WEIR_COMMAND_REPORT;
    command->result_path = invocation->argv[invocation->first];
    command->output = (struct weir_output){.format = format_of(values.format),
                                           .summary_path = values.summary_path,
                                           .is_plain = values.is_plain};
    return 0;
}

static int read_help(const struct invocation *invocation, struct weir_command *command,
                     struct weir_error *error)
{
    (void)invocation;
    (void)error;
    return say(command, general_help);
}

static int read_version(const struct invocation *invocation, struct weir_command *command,
                        struct weir_error *error)
{
    (void)invocation;
    (void)error;
    return say(command, version_text);
}

/* ---- which of them ---- */

struct front_word {
    const char *word;
    int (*read)(const struct invocation *invocation, struct weir_command *command,
                struct weir_error *error);
};

static const struct front_word front_words[] = {
    {"ior", read_ior},           {"backends", read_backends}, {"report", read_report},
    {"--help", read_help},       {"-h", read_help},           {"help", read_help},
    {"--version", read_version},
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* A program called ior, ior-4.1 or ior-weir is IOR. */
static bool is_ior(const char *program)
{
    return strncmp(name_of(program), "ior", 3) == 0;
}

static int read_front_word(struct invocation *invocation, struct weir_command *command,
                           struct weir_error *error)
{
    const char *word = invocation->argv[invocation->first];

    for (size_t i = 0; i < sizeof front_words / sizeof *front_words; i++) {
        if (strcmp(word, front_words[i].word) != 0)
            continue;
        invocation->first++;
        return front_words[i].read(invocation, command, error);
    }
    if (word[0] == '-' || is_ior(invocation->argv[0]))
        return read_ior(invocation, command, error);
    return weir_error_usage(error, NULL,
                            "unknown command \"%s\"; there are: ior, backends, report, --help, "
                            "--version",
                            word);
}

int weir_front_read(int argc, const char *const argv[], const struct weir_backends *backends,
                    struct weir_command *command, struct weir_error *error)
{
    struct invocation invocation = {
        .argc = argc, .argv = argv, .first = argc > 0 ? 1 : 0, .backends = backends};

    *command = (struct weir_command){0};
    if (argc < 2 || (is_ior(argv[0]) && argv[1][0] == '-'))
        return read_ior(&invocation, command, error);
    return read_front_word(&invocation, command, error);
}

int weir_front_plan(int argc, const char *const argv[], const struct weir_backends *backends,
                    struct weir_plan **plan, struct weir_error *error)
{
    struct weir_command command;
    int failure = weir_front_read(argc, argv, backends, &command, error);

    if (!failure && !command.plan)
        failure = weir_error_usage(error, NULL, "these words describe no run");
    if (!failure) {
        *plan = command.plan;
        command.plan = NULL;
    }
    weir_command_close(&command);
    return failure;
}

void weir_command_close(struct weir_command *command)
{
    if (command->plan)
        weir_plan_close(command->plan);
    weir_text_close(&command->text);
    weir_arena_close(&command->arena);
    *command = (struct weir_command){0};
}
