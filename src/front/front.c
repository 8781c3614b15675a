/* SPDX-License-Identifier: Apache-2.0 */
/* The front door: from argv to a command, by the name of the program and its first word. */
#include "weir/front/front.h"

#include "host_commands.h"
#include "ior/compat.h"
#include "ior/lower.h"
#include "ior/options.h"
#include "ior/script.h"
#include "ior/version.h"
#include "net/net_words.h"
#include "net/serve_words.h"
#include "weir/base/nearest.h"
#include "weir/base/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char general_help[] =
    "weir " WEIR_VERSION
    ": measures parallel storage, and says how far each number can be believed\n"
    "\n"
    "  weir ior [options]      run IOR's benchmark; the same as calling this program as ior\n"
    "  weir [options]          the same, if there are any; without any, this page\n"
    "  weir backends           list the ways to do I/O that were built, and what was left out\n"
    "  weir doctor [PATH]      say what this host can do for a benchmark, and how it is made to do "
    "more\n"
    "  weir topology           draw this host's processors, and which of them ranks would get\n"
    "  weir net [options]      measure bandwidth and latency from memory to memory over a network\n"
    "  weir serve [options]    serve objects in this host's memory to weir ior -a RDMA\n"
    "  weir compat             compare with IOR, option by option, as a page of Markdown\n"
    "  weir report FILE [--format ior|csv|json] [--compat VERSION] [--plain] [--summary-file "
    "FILE]\n"
    "              [--run last|all|list|N|ID]\n"
    "                          tell a result again that was kept with --result\n"
    "  weir ior --help         all options of IOR and of the backends; the same for net, "
    "serve, doctor, topology and report\n"
    "  weir --version          version of this program and of the formats it prints; also weir -V\n"
    "\n"
    "Examples\n"
    "  mpiexec -n 4 weir ior -w -r -t 1m -b 1g -e -C -o /scratch/file\n"
    "  mpiexec -n 4 weir ior -a mpiio -c -F -W -R -o /scratch/file --result run.jsonl\n"
    "  mpiexec -n 4 weir ior -a uring --direct --depth auto -z -t 4k -b 1g -F -o /scratch/file\n"
    "  mpiexec -n 4 weir ior -a RDMA --rdma.targets 2 -w -r -t 1m -b 1g -e -C -o /file\n"
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
        if (!failure && !request->next)
            failure = weir_ior_lower_output(&plan->output, request, error);
    }
    return failure ? failure : weir_plan_freeze(plan, error);
}

/* For sites whose users cannot be asked to give --overwrite: they call weir by the name of ior. */
static int add_permission(struct weir_plan *plan, int first, struct weir_error *error)
{
    const char *value = getenv("WEIR_OVERWRITE");

    if (!value || *value == '\0' || strcmp(value, "0") == 0)
        return 0;
    if (strcmp(value, "1") != 0)
        return weir_error_usage(
            error, "ior",
            "WEIR_OVERWRITE: \"%s\" is neither 0 nor 1; with 1, files that this "
            "program did not make may be overwritten and removed",
            value);
    weir_plan_insert_word(plan, (size_t)first, "--overwrite");
    return 0;
}

/* What IOR takes from its environment is given as words before all others, so that the result file
 * keeps it, and the command line has the last word. */
static int add_environment(const struct invocation *invocation, struct weir_plan *plan,
                           struct weir_error *error)
{
    static const struct {
        const char *variable;
        const char *key;
    } fakes[] = {
        {"IOR_FAKE_NODES", "numNodes"},
        {"IOR_FAKE_TASK_PER_NODES", "numTasksOnNode0"},
    };
    int first = invocation->first;

    for (size_t i = 0; i < sizeof fakes / sizeof *fakes; i++) {
        const char *value = getenv(fakes[i].variable);
        int64_t number;

        if (!value || *value == '\0')
            continue;
        if (weir_integer_parse(value, &number) || number < 1)
            return weir_error_usage(error, "ior",
                                    "%s: \"%s\" is not a number of 1 or more; unset it",
                                    fakes[i].variable, value);
        weir_plan_insert_word(plan, (size_t)first++, "-O");
        weir_plan_insert_word(plan, (size_t)first++,
                              weir_arena_printf(&plan->arena, "%s=%s", fakes[i].key, value));
    }
    return add_permission(plan, first, error);
}

static int read_script(struct weir_plan *plan, struct weir_ior_request *request,
                       struct weir_error *error)
{
    const char *path = request->ior.script_path;
    const char *text = NULL;
    int failure = weir_ior_script_load(path, &plan->arena, &text, request->parser.place, error);

    if (failure)
        return failure;
    plan->source.script = text;
    return weir_ior_script_parse(request, text, path, error);
}

static bool wants_help(const struct weir_ior_request *request, const struct weir_ior_orders *orders)
{
    for (; request; request = request->next) {
        if (request->ior.show_help)
            return true;
    }
    return orders->help != 0;
}

/* What else than a plan is asked for; true if it is said. */
static bool say_ior(const struct invocation *invocation, const struct weir_ior_request *request,
                    const struct weir_ior_orders *orders, struct weir_command *command)
{
    if (wants_help(request, orders)) {
        command->kind = WEIR_COMMAND_SAY;
        weir_ior_help(&command->text, invocation->backends);
        return true;
    }
    if (orders->version)
        say(command, version_text);
    return orders->version != 0;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* A program called ior, ior-4.1 or ior-weir is IOR. Scripts that call it know nothing of ours. */
static bool is_ior(const char *program)
{
    return strncmp(name_of(program), "ior", 3) == 0;
}

static int read_ior(const struct invocation *invocation, struct weir_command *command,
                    struct weir_error *error)
{
    struct weir_plan *plan = weir_plan_open("ior", invocation->argc, invocation->argv);
    struct weir_ior_request *request = weir_ior_request_new(&plan->arena, invocation->backends);
    struct weir_ior_orders orders = {0};
    int failure = add_environment(invocation, plan, error);

    if (!failure)
        failure = weir_ior_request_parse(request, (int)plan->source.word_count - invocation->first,
                                         plan->source.words + invocation->first, &orders, error);
    if (!failure && request->ior.script_path && !orders.help && !orders.version)
        failure = read_script(plan, request, error);
    if (!failure && !say_ior(invocation, request, &orders, command)) {
        failure = lower_requests(plan, request, error);
        plan->output.is_apart = is_ior(invocation->argc > 0 ? invocation->argv[0] : "");
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
    const char *compat;
    const char *summary_path;
    const char *run;
    int64_t is_plain;
};

static const struct weir_option report_rows[] = {
    {0, "format", WEIR_OPTION_CHOICE, offsetof(struct report_values, format), "ior", "ior|csv|json",
     .help = "format of the report"},
    {0, "compat", WEIR_OPTION_TEXT, offsetof(struct report_values, compat), NULL,
     .help = "print the layout of this IOR: 2.10, 3.0, 3.2, 3.3, 4.0 or 4.1"},
    {0, "plain", WEIR_OPTION_FLAG, offsetof(struct report_values, is_plain),
     .help = "print what IOR prints, and nothing of our own"},
    {0, "summary-file", WEIR_OPTION_TEXT, offsetof(struct report_values, summary_path),
     .help = "the report goes there and not to standard output"},
    {0, "run", WEIR_OPTION_TEXT, offsetof(struct report_values, run), "last",
     .help = "of a file with several runs: last, all, a number from 1 on, the id of a run; list: "
             "only list them"},
    {0},
};
static const struct weir_option_set report_set = {"report", report_rows,
                                                  sizeof(struct report_values)};

/* Reporters of IOR's, whose formats there are. */
static const char *reporter_of(const char *word)
{
    if (strcmp(word, "csv") == 0)
        return WEIR_IOR_REPORTER_CSV;
    return strcmp(word, "json") == 0 ? WEIR_IOR_REPORTER_JSON : WEIR_IOR_REPORTER;
}

static int say_report_help(struct weir_command *command)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_text_add(&command->text,
                  "Usage: weir report FILE [OPTION...]\n\n"
                  "Prints the report of a run in a result file (--result) again.\n");
    weir_options_help(&command->text, &report_set);
    return 0;
}

static int read_report(const struct invocation *invocation, struct weir_command *command,
                       struct weir_error *error)
{
    struct report_values values;
    const struct weir_option_binding binding = {&report_set, &values};
    const struct weir_option_parser parser = {
        .place = "report", .arena = &command->arena, .bindings = &binding, .binding_count = 1};
    const int count = invocation->argc - invocation->first;
    const char **words = weir_arena_take(&command->arena, ((size_t)count + 1) * sizeof *words);
    int options;

    for (int i = 0; i < count; i++)
        if (strcmp(invocation->argv[invocation->first + i], "--help") == 0 ||
            strcmp(invocation->argv[invocation->first + i], "-h") == 0)
            return say_report_help(command);
    options = weir_options_part(&report_set, count, invocation->argv + invocation->first, words);
    weir_options_reset(&parser);
    if (weir_options_parse(&parser, options, words, error))
        return -EINVAL;
    if (options == count)
        return weir_error_usage(error, parser.place,
                                "the result file is missing: weir report FILE [OPTION...]");
    if (count > options + 1)
        return weir_error_usage(error, parser.place,
                                "%s and %s: one file is told at a time; runs of two files cannot "
                                "be compared yet",
                                words[options], words[options + 1]);
    command->kind = WEIR_COMMAND_REPORT;
    command->result_path = words[options];
    command->run_word = values.run;
    command->output = (struct weir_output){.reporter = reporter_of(values.format),
                                           .summary_path = values.summary_path,
                                           .is_plain = values.is_plain};
    command->keeps_style = values.compat == NULL;
    if (values.compat &&
        weir_ior_version_read(values.compat, parser.place, error, &command->output.style))
        return -EINVAL;
    return weir_front_check_output(&command->output, parser.place, error);
}

static int read_doctor(const struct invocation *invocation, struct weir_command *command,
                       struct weir_error *error)
{
    return weir_doctor_read(invocation->argc - invocation->first,
                            invocation->argv + invocation->first, command, error);
}

static int read_topology(const struct invocation *invocation, struct weir_command *command,
                         struct weir_error *error)
{
    return weir_topology_read(invocation->argc - invocation->first,
                              invocation->argv + invocation->first, command, error);
}

static int read_net(const struct invocation *invocation, struct weir_command *command,
                    struct weir_error *error)
{
    return weir_net_words_read(invocation->argc - invocation->first,
                               invocation->argv + invocation->first, command, error);
}

static int read_serve(const struct invocation *invocation, struct weir_command *command,
                      struct weir_error *error)
{
    return weir_serve_words_read(invocation->argc - invocation->first,
                                 invocation->argv + invocation->first, command, error);
}

static int read_compat(const struct invocation *invocation, struct weir_command *command,
                       struct weir_error *error)
{
    if (invocation->first < invocation->argc)
        return weir_error_usage(error, "compat", "\"%s\" is a word too many",
                                invocation->argv[invocation->first]);
    command->kind = WEIR_COMMAND_SAY;
    weir_ior_compat_page(&command->text, invocation->backends);
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

int weir_front_check_output(const struct weir_output *output, const char *place,
                            struct weir_error *error)
{
    int failure = weir_output_check(output, place, error);

    return failure ? failure : weir_ior_version_check(output, place, error);
}

/* ---- which of them ---- */

struct front_word {
    const char *word;
    int (*read)(const struct invocation *invocation, struct weir_command *command,
                struct weir_error *error);
};

static const struct front_word front_words[] = {
    {"ior", read_ior},         {"backends", read_backends}, {"compat", read_compat},
    {"report", read_report},   {"doctor", read_doctor},     {"topology", read_topology},
    {"net", read_net},         {"serve", read_serve},       {"--help", read_help},
    {"-h", read_help},         {"help", read_help},         {"--version", read_version},
    {"version", read_version},
};

static int refuse_command(const char *word, struct weir_error *error)
{
    struct weir_nearest nearest = {.typed = word, .length = strlen(word)};
    const char *near_word;

    for (size_t i = 0; i < sizeof front_words / sizeof *front_words; i++)
        weir_nearest_offer(&nearest, front_words[i].word);
    near_word = weir_nearest_word(&nearest);
    return weir_error_usage(
        error, NULL,
        "unknown command \"%s\"%s%s%s; there are: ior, net, serve, backends, doctor, topology, "
        "compat, report, --help, --version",
        word, near_word ? " (did you mean weir " : "", near_word ? near_word : "",
        near_word ? "?)" : "");
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
    return refuse_command(word, error);
}

/* "weir" alone says how it is used, and "weir -V", a word of IOR 3 that is of no use alone, the
 * version. Under the name of IOR they are IOR's. */
static bool is_question(const struct invocation *invocation)
{
    if (invocation->argc > 0 && is_ior(invocation->argv[0]))
        return false;
    return invocation->argc == invocation->first ||
           (invocation->argc == invocation->first + 1 &&
            strcmp(invocation->argv[invocation->first], "-V") == 0);
}

int weir_front_read(int argc, const char *const argv[], const struct weir_backends *backends,
                    struct weir_command *command, struct weir_error *error)
{
    struct invocation invocation = {
        .argc = argc, .argv = argv, .first = argc > 0 ? 1 : 0, .backends = backends};

    *command = (struct weir_command){.dialect = "ior"}; /* of options alone */
    if (is_question(&invocation))
        return say(command, argc > invocation.first ? version_text : general_help);
    if (argc < 2 || (is_ior(argv[0]) && argv[1][0] == '-'))
        return read_ior(&invocation, command, error);
    return read_front_word(&invocation, command, error);
}

void weir_command_close(struct weir_command *command)
{
    if (command->plan)
        weir_plan_close(command->plan);
    if (command->net)
        weir_net_plan_close(command->net);
    weir_text_close(&command->text);
    weir_arena_close(&command->arena);
    *command = (struct weir_command){.dialect = "ior"}; /* of options alone */
}
