/* SPDX-License-Identifier: Apache-2.0 */
/* From argv to a command, by the name of the program and its first word. */
#include "weir/front/front.h"

#include "common_lowering.h"
#include "compare_words.h"
#include "dialect.h"
#include "export_words.h"
#include "finding_pages.h"
#include "host_commands.h"
#include "net/net_words.h"
#include "net/serve_words.h"
#include "sweep/sweep.h"
#include "weir/base/nearest.h"
#include "weir/base/version.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static const char help_of_commands[] =
    "  weir sweep AXIS=VALUES... -- COMMAND\n"
    "                          run one of these, but for parabench and targets, once for each "
    "number of ranks, size, depth ..., and say where rates stop to grow\n"
    "  weir backends           list the ways to do I/O that were built, and what was left out\n"
    "  weir doctor [PATH]      say what this host can do for a benchmark, and how it is made to do "
    "more\n"
    "  weir topology           draw this host's processors, and which of them ranks would get\n"
    "  weir net [options]      measure bandwidth and latency from memory to memory over a network\n"
    "  weir serve [options]    serve objects in this host's memory to weir ior -a RDMA\n"
    "  weir compat [DIALECT]   compare with IOR, mdtest, md-workbench, IOzone, dd and Parabench, "
    "option by option, as a page of Markdown\n"
    "  weir report FILE... [--format "
    "ior|mdtest|md-workbench|iozone|parabench|labels|xml|targets|csv|json|csv-long|json-long|"
    "influx|openmetrics|sweep|junit|tap] "
    "[--compat "
    "VERSION] "
    "[--plain]\n"
    "              [--summary-file FILE|--output FILE] [--redact]\n"
    "              [--run last|all|list|N|ID] [--label TEXT] [--test N] [--expect CONDITIONS]\n"
    "                          print the report of a run in a file that --result made\n"
    "  weir compare FILE... -- FILE...\n"
    "                          compare runs in files that --result made: which rates differ by "
    "more than their noise\n"
    "  weir export sqlite FILE... -o DATABASE\n"
    "                          import runs in files that --result made into a database of SQLite\n"
    "  weir ior --help         all options of IOR and of the backends; the same for mdtest, "
    "md-workbench, iozone, parabench, targets, net, "
    "serve, doctor, topology, report, compare and export\n"
    "  weir help NAME          the page of a finding (weir help findings: all), the definition of "
    "a verdict such as OK or \"DO NOT USE\" (weir help believed: all), exit-codes, or the help of "
    "a command\n"
    "  weir --version          version of this program and of the formats it prints; also weir -V\n"
    "\n"
    "Examples\n"
    "  mpiexec -n 4 weir ior -w -r -t 1m -b 1g -e -C -o /scratch/file\n"
    "  mpiexec -n 4 weir ior -a mpiio -c -F -W -R -o /scratch/file --result run.jsonl\n"
    "  mpiexec -n 4 weir ior -a uring --direct --depth auto -z -t 4k -b 1g -F -o /scratch/file\n"
    "  mpiexec -n 4 weir ior -a RDMA --rdma.targets 2 -w -r -t 1m -b 1g -e -C -o /file\n"
    "  mpiexec -n 4 weir mdtest -n 10000 -i 3 -u -N 1 -d /scratch/names\n"
    "  mpiexec -n 4 weir md-workbench -P 3000 -I 1000 -R 3 -o /scratch/sets\n"
    "  mpiexec -n 4 weir parabench create-index.pbl iter=1000 base=/scratch/index\n"
    "  mpiexec -n 4 weir targets /mnt/t1 /mnt/t2 /mnt/t3 /mnt/t4 --limit 5.5GB/s\n"
    "  mpiexec -n 32 weir sweep ranks=1..32x2 total=32g -- ior -w -r -t 1m -i 3 -o /scratch/file\n"
    "  weir ior -z -t 4k -b 1m -F --explain\n";

static int say_help(struct weir_command *command)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_text_add(&command->text,
                  "weir " WEIR_VERSION
                  ": measures parallel storage, and says how far each number can be believed\n\n");
    for (size_t i = 0; weir_dialects[i] != NULL; i++) {
        int blanks = 9 - (int)strlen(weir_dialects[i]->name);

        weir_text_add(&command->text, "  weir %s [options]%*s%s\n", weir_dialects[i]->name,
                      blanks > 0 ? blanks : 1, "", weir_dialects[i]->help);
        if (i == 0)
            weir_text_add(&command->text, "  weir [options]          the same, if there are any; "
                                          "without any, this page\n");
    }
    weir_text_add(&command->text, "%s", help_of_commands);
    return 0;
}

static int say_version(struct weir_command *command)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_front_add_version(&command->text);
    return 0;
}

/* ---- the program's own commands ---- */

static int read_backends(int count, const char *const words[], struct weir_command *command,
                         struct weir_error *error)
{
    if (count > 0)
        return weir_error_usage(error, "backends", "\"%s\" is a word too many", words[0]);
    command->kind = WEIR_COMMAND_BACKENDS;
    return 0;
}

struct report_values {
    const char *format;
    const char *compat;
    const char *summary_path;
    const char *output_path;
    const char *picture;
    struct weir_redact_request redact;
    const char *run;
    const char *expect;
    int64_t allows_unverified;
    const char *label;
    const char *test;
    int64_t is_plain;
    int64_t has_details;
};

static const struct weir_option report_rows[] = {
    {0, "format", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, format), NULL,
     .help = "format of the report: ior, mdtest, md-workbench, iozone, parabench or targets; of "
             "parabench also labels, our tables alone, and xml, the events as in results.xml; of a "
             "sweep also sweep, the table of its steps; without it, that of the run's dialect. Of "
             "all dialects: csv-long, a line for each figure, and json-long; csv and json are the "
             "same, but those of IOR for runs of ior; influx, the line protocol of InfluxDB, and "
             "openmetrics, gauges, as docs/results-as-data.md says; junit and tap: verdicts and "
             "conditions as test cases; html: one page with the verdict, pictures and tables; svg, "
             "gnuplot and text: a --picture"},
    {0, "compat", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, compat), NULL,
     .help =
         "print the layout of this IOR (2.10, 3.0, 3.2, 3.3, 4.0 or 4.1), mdtest (1.9.3, 3.2, 3.3, "
         "4.0 or 4.1) or IOzone (3.420 or 3.487)"},
    {0, "plain", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct report_values, is_plain),
     .help = "print what the original prints, and nothing of our own"},
    {'v', "details", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct report_values, has_details),
     .help = "after the verdict, print the tables and all findings"},
    {0, "summary-file", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, summary_path),
     .help = "the report goes there and not to standard output"},
    {0, "output", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, output_path), NULL,
     .help = "the same, but a new file of mode 0644 takes the place of an old one, whole: for "
             "programs that read it at any time"},
    {0, "picture", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, picture), NULL,
     .help =
         "one picture of a run in 78 x 14 characters, or with --format svg or gnuplot (data and "
         "script) in a file; list: the names of those that the run has"},
    {0, "run", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, run), "last",
     .help =
         "of a file with several runs: last, all, a number from 1 on, the beginning of the id of a "
         "run; list: only list them. Runs of several files are numbered through, and last is that "
         "of each"},
    {0, "label", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, label),
     .help = "runs with this --label only"},
    {0, "test", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, test),
     .help = "the test with this number only, counted from 0 on"},
    {0, "expect", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct report_values, expect),
     .help = WEIR_EXPECT_HELP, .is_list = true},
    {0, "allow-unverified", WEIR_OPTION_FLAG,
     WEIR_OPTION_AT(struct report_values, allows_unverified), .help = WEIR_ALLOW_UNVERIFIED_HELP},
    WEIR_REDACT_ROWS(struct report_values),
    {0},
};
static const struct weir_option_set report_set = {"report", report_rows,
                                                  sizeof(struct report_values)};

static int say_report_help(struct weir_command *command)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_text_add(
        &command->text,
        "Usage: weir report FILE... [OPTION...]\n\n"
        "Prints the report of runs in result files (--result) again, or their figures as data.\n");
    weir_options_help(&command->text, &report_set);
    return 0;
}

/* A format that no dialect prints is refused before the file is read. */
static int check_report(struct weir_command *command, struct weir_error *error)
{
    struct weir_error other = {0};
    int failure;

    if (weir_front_is_drawn(&command->report)) {
        command->output.summary_path = command->report.summary_path;
        return 0;
    }
    failure =
        weir_front_choose_reporter(command->dialect, &command->report, &command->output, error);

    for (size_t i = 0; failure != 0 && weir_dialects[i] != NULL; i++) {
        other = (struct weir_error){0};
        if (weir_front_choose_reporter(weir_dialects[i]->name, &command->report, &command->output,
                                       &other) == 0) {
            *error = (struct weir_error){0};
            failure = 0;
        }
    }
    return failure;
}

static int read_report(int count, const char *const typed[], struct weir_command *command,
                       struct weir_error *error)
{
    struct report_values values;
    const struct weir_option_binding binding = {&report_set, &values};
    const struct weir_option_parser parser = {
        .place = "report", .arena = &command->arena, .bindings = &binding, .binding_count = 1};
    const char **words = weir_arena_take(&command->arena, ((size_t)count + 1) * sizeof *words);
    bool is_picture, is_page;
    int options;

    for (int i = 0; i < count; i++)
        if (strcmp(typed[i], "--help") == 0 || strcmp(typed[i], "-h") == 0)
            return say_report_help(command);
    options = weir_options_part(&parser, count, typed, words);
    weir_options_reset(&parser);
    if (weir_options_parse(&parser, options, words, error))
        return -EINVAL;
    if (options == count)
        return weir_error_usage(error, parser.place,
                                "the result file is missing: weir report FILE... [OPTION...]");
    if (values.test != NULL &&
        (*values.test == '\0' || strspn(values.test, "0123456789") < strlen(values.test)))
        return weir_error_usage(error, parser.place, "--test: \"%s\" is no number of a test",
                                values.test);
    if (values.summary_path != NULL && values.output_path != NULL)
        return weir_error_usage(error, parser.place,
                                "--summary-file and --output both name a file for the report: "
                                "give one of them");
    if (values.picture != NULL && values.format == NULL)
        values.format = "text";
    is_picture = values.format != NULL && weir_text_list_has("svg,gnuplot,text", values.format);
    is_page = values.format != NULL && strcmp(values.format, "html") == 0;
    if (is_picture && values.picture == NULL)
        return weir_error_usage(error, parser.place,
                                "--format %s has one picture: name it with --picture NAME; "
                                "--picture list shows the names",
                                values.format);
    if (values.picture != NULL && !is_picture)
        return weir_error_usage(
            error, parser.place,
            "--picture: \"%s\" is not a format of pictures: use svg, gnuplot or "
            "text",
            values.format);
    if ((is_picture || is_page) && (values.compat != NULL || values.is_plain))
        return weir_error_usage(error, parser.place,
                                "--compat and --plain do not go with --format %s, which no "
                                "original has",
                                values.format);
    if (values.output_path != NULL && is_picture && strcmp(values.format, "text") == 0)
        return weir_error_usage(error, parser.place,
                                "--output: a picture in characters is for a terminal: redirect it, "
                                "or choose --format svg or gnuplot");
    if (strcasecmp(values.run, "list") == 0 && (is_picture || is_page))
        return weir_error_usage(error, parser.place,
                                "--run list prints runs, not pages and pictures: choose a run");
    command->kind = WEIR_COMMAND_REPORT;
    command->result_paths = words + options;
    command->result_path_count = (unsigned)(count - options);
    command->report = (struct weir_report_request){
        .run = values.run,
        .format = values.format,
        .picture = values.picture,
        .compat = values.compat,
        .summary_path = values.output_path != NULL ? values.output_path : values.summary_path,
        .is_replaced = values.output_path != NULL,
        .redact = values.redact,
        .expect = values.expect,
        .allows_unverified = values.allows_unverified > 0,
        .label = values.label,
        .test = values.test,
        .is_plain = values.is_plain,
        .has_details = weir_wants_details(values.has_details),
    };
    return check_report(command, error);
}

/* All pages, or that of one dialect. */
static int read_compat(const struct weir_invocation *invocation, struct weir_command *command,
                       struct weir_error *error)
{
    int count = invocation->argc - invocation->first;
    const char *const *words = invocation->argv + invocation->first;
    const struct weir_dialect *only = count > 0 ? weir_dialect_find(words[0]) : NULL;

    if (count > 1 || (count == 1 && only == NULL))
        return weir_error_usage(error, "compat",
                                "\"%s\" is a word too many; give one dialect, such as %s, or "
                                "nothing",
                                words[count - 1], weir_dialects[0]->name);
    command->kind = WEIR_COMMAND_SAY;
    for (size_t i = 0; weir_dialects[i] != NULL; i++)
        if (weir_dialects[i]->add_compat_page != NULL && (only == NULL || only == weir_dialects[i]))
            weir_dialects[i]->add_compat_page(&command->text, invocation->backends);
    return 0;
}

static int read_usage(int count, const char *const words[], struct weir_command *command,
                      struct weir_error *error)
{
    (void)count;
    (void)words;
    (void)error;
    return say_help(command);
}

static int read_version(int count, const char *const words[], struct weir_command *command,
                        struct weir_error *error)
{
    (void)count;
    (void)words;
    (void)error;
    return say_version(command);
}

/* ---- which of them ---- */

static int read_help(const struct weir_invocation *invocation, struct weir_command *command,
                     struct weir_error *error);
static int read_front_word(struct weir_invocation *invocation, struct weir_command *command,
                           struct weir_error *error);

struct front_word {
    const char *word;
    /* Reads the words behind it. NULL: the other one does, which needs the backends. */
    int (*read)(int count, const char *const words[], struct weir_command *command,
                struct weir_error *error);
    bool is_alias;
    int (*read_invocation)(const struct weir_invocation *invocation, struct weir_command *command,
                           struct weir_error *error);
};

static const struct front_word front_words[] = {
    {"net", weir_net_words_read, false, NULL},
    {"serve", weir_serve_words_read, false, NULL},
    {"backends", read_backends, false, NULL},
    {"doctor", weir_doctor_read, false, NULL},
    {"topology", weir_topology_read, false, NULL},
    {"sweep", NULL, false, weir_sweep_read},
    {"compat", NULL, false, read_compat},
    {"report", read_report, false, NULL},
    {"compare", weir_compare_words_read, false, NULL},
    {"export", weir_export_words_read, false, NULL},
    {"help", NULL, false, read_help},
    {"--help", read_usage, false, NULL},
    {"--version", read_version, false, NULL},
    {"-h", read_usage, true, NULL},
    {"version", read_version, true, NULL},
};

static bool is_command(const char *name)
{
    for (size_t i = 0; i < sizeof front_words / sizeof *front_words; i++)
        if (strcmp(name, front_words[i].word) == 0)
            return true;
    return weir_dialect_find(name) != NULL;
}

static void add_word(struct weir_text *words, struct weir_nearest *nearest, const char *word,
                     bool is_alias)
{
    weir_nearest_offer(nearest, word);
    if (!is_alias)
        weir_text_add(words, "%s%s", words->length > 0 ? ", " : "", word);
}

static int refuse_command(const char *word, struct weir_error *error)
{
    struct weir_nearest nearest = {.typed = word, .length = strlen(word)};
    struct weir_text words = {0};
    const char *near_word;

    for (size_t i = 0; weir_dialects[i] != NULL; i++)
        add_word(&words, &nearest, weir_dialects[i]->name, false);
    for (size_t i = 0; i < sizeof front_words / sizeof *front_words; i++)
        add_word(&words, &nearest, front_words[i].word, front_words[i].is_alias);
    near_word = weir_nearest_word(&nearest);
    weir_error_usage(error, NULL, "unknown command \"%s\"%s%s%s; there are: %s", word,
                     near_word ? " (did you mean weir " : "", near_word ? near_word : "",
                     near_word ? "?)" : "", weir_text_string(&words));
    weir_text_close(&words);
    return error->code;
}

static int read_dialect(const struct weir_dialect *dialect,
                        const struct weir_invocation *invocation, struct weir_command *command,
                        struct weir_error *error)
{
    command->dialect = dialect->name;
    return weir_dialect_read(dialect, invocation, command, error);
}

/* ---- help ---- */

/* Refuses a name that is no command, finding or verdict. */
static int refuse_topic(const char *word, struct weir_error *error)
{
    struct weir_nearest nearest = {.typed = word, .length = strlen(word)};
    const char *near_word;

    weir_nearest_offer(&nearest, "findings");
    weir_nearest_offer(&nearest, "believed");
    for (unsigned i = 0; i < WEIR_BELIEVED_COUNT; i++)
        weir_nearest_offer(&nearest, weir_believed_names[i]);
    weir_nearest_offer(&nearest, "exit-codes");
    for (unsigned i = 0; i < WEIR_FINDING_COUNT; i++)
        weir_nearest_offer(&nearest, weir_finding_rows[i].name);
    for (size_t i = 0; weir_dialects[i] != NULL; i++)
        weir_nearest_offer(&nearest, weir_dialects[i]->name);
    for (size_t i = 0; i < sizeof front_words / sizeof *front_words; i++)
        weir_nearest_offer(&nearest, front_words[i].word);
    near_word = weir_nearest_word(&nearest);
    return weir_error_usage(error, "help",
                            "\"%s\" is no finding, verdict or command%s%s%s; weir help findings "
                            "lists all findings, weir help believed all verdicts, weir --help all "
                            "commands",
                            word, near_word ? " (did you mean weir help " : "",
                            near_word ? near_word : "", near_word ? "?)" : "");
}

/* What "weir NAME --help" prints; false if NAME is no command with a help of its own. */
static bool say_help_of_command(const char *name, const struct weir_invocation *invocation,
                                struct weir_command *command, struct weir_error *error)
{
    static const char *const with_help[] = {"net",   "serve",  "doctor",  "topology",
                                            "sweep", "report", "compare", "export"};
    const char *const words[] = {"weir", name, "--help"};
    struct weir_invocation question = {
        .argc = 3, .argv = words, .first = 1, .backends = invocation->backends};
    bool has_help = weir_dialect_find(name) != NULL;

    for (size_t i = 0; i < sizeof with_help / sizeof *with_help; i++)
        has_help |= strcmp(name, with_help[i]) == 0;
    return has_help && read_front_word(&question, command, error) == 0;
}

static void add_exit_codes(struct weir_text *text)
{
    for (unsigned code = 0; code < WEIR_EXIT_COUNT; code++)
        weir_text_add(text, "%u  %s\n", code, weir_exit_rows[code].meaning);
    weir_text_add(text, "\nWhere several hold:");
    for (unsigned precedence = WEIR_EXIT_COUNT - 1; precedence > 0; precedence--)
        for (unsigned code = 0; code < WEIR_EXIT_COUNT; code++)
            if (weir_exit_rows[code].precedence == precedence)
                weir_text_add(text, "%s %u", precedence < WEIR_EXIT_COUNT - 1 ? "," : "", code);
    weir_text_add(text, ". docs/exit-codes.md has the reasons of each command.\n");
}

/* Returns the verdict that the arguments name together: DO NOT USE may be three of them. */
static enum weir_believed find_verdict(int count, const char *const words[])
{
    struct weir_text typed = {0};
    enum weir_believed believed;

    for (int i = 0; i < count; i++)
        weir_text_add(&typed, "%s%s", i > 0 ? " " : "", words[i]);
    believed = weir_believed_lookup(weir_text_string(&typed));
    weir_text_close(&typed);
    return believed;
}

/* weir help: how the program is used; weir help NAME: the page of a finding, the definition of a
 * verdict, the exit codes, or the help of a command. */
static int read_help(const struct weir_invocation *invocation, struct weir_command *command,
                     struct weir_error *error)
{
    int count = invocation->argc - invocation->first;
    const char *const *words = invocation->argv + invocation->first;
    enum weir_finding_kind kind = count > 0 ? weir_finding_lookup(words[0]) : WEIR_FINDING_COUNT;
    enum weir_believed believed = find_verdict(count, words);
    bool is_list = count > 0 && strcmp(words[0], "findings") == 0;
    bool is_exit = count > 0 && strcmp(words[0], "exit-codes") == 0;
    /* The page docs/findings.md, for the test that compares both. */
    bool is_manual = is_list && count == 2 && strcmp(words[1], "--format=markdown") == 0;

    if (count > 1 && !is_manual && believed == WEIR_BELIEVED_COUNT)
        return weir_error_usage(error, "help", "\"%s\" is a word too many; give one name",
                                words[1]);
    command->kind = WEIR_COMMAND_SAY;
    if (is_exit)
        add_exit_codes(&command->text);
    else if (is_manual)
        weir_front_add_finding_manual(&command->text);
    else if (is_list)
        weir_front_add_finding_list(&command->text);
    else if (count > 0 && strcmp(words[0], "believed") == 0)
        weir_front_add_verdict_list(&command->text);
    else if (kind != WEIR_FINDING_COUNT || believed != WEIR_BELIEVED_COUNT) {
        /* wrong-data is the name of a finding and of a verdict. */
        if (kind != WEIR_FINDING_COUNT)
            weir_front_add_finding_page(&command->text, kind, words[0]);
        if (believed != WEIR_BELIEVED_COUNT)
            weir_front_add_verdict_page(&command->text, believed);
    } else if (count > 0 && say_help_of_command(words[0], invocation, command, error))
        return 0;
    else if (count > 0 && !is_command(words[0]))
        return refuse_topic(words[0], error);
    else
        return say_help(command);
    return 0;
}

static int read_front_word(struct weir_invocation *invocation, struct weir_command *command,
                           struct weir_error *error)
{
    const struct weir_dialect *program = weir_dialect_of_program(invocation);
    const char *word = invocation->argv[invocation->first];
    const struct weir_dialect *dialect = weir_dialect_find(word);

    if (dialect != NULL) {
        invocation->first++;
        return read_dialect(dialect, invocation, command, error);
    }
    for (size_t i = 0; i < sizeof front_words / sizeof *front_words; i++) {
        if (strcmp(word, front_words[i].word) != 0)
            continue;
        invocation->first++;
        if (front_words[i].read == NULL)
            return front_words[i].read_invocation(invocation, command, error);
        return front_words[i].read(invocation->argc - invocation->first,
                                   invocation->argv + invocation->first, command, error);
    }
    if (word[0] == '-' || program != NULL)
        return read_dialect(program != NULL ? program : weir_dialects[0], invocation, command,
                            error);
    return refuse_command(word, error);
}

/* "weir" alone says how it is used, and "weir -V", a word of IOR 3 that is of no use alone, the
 * version. Under the name of a dialect's program they are that program's. */
static bool is_question(const struct weir_invocation *invocation)
{
    if (weir_dialect_of_program(invocation) != NULL)
        return false;
    return invocation->argc == invocation->first ||
           (invocation->argc == invocation->first + 1 &&
            strcmp(invocation->argv[invocation->first], "-V") == 0);
}

int weir_front_read(int argc, const char *const argv[], const struct weir_backends *backends,
                    struct weir_command *command, struct weir_error *error)
{
    struct weir_invocation invocation = {
        .argc = argc, .argv = argv, .first = argc > 0 ? 1 : 0, .backends = backends};
    const struct weir_dialect *program = weir_dialect_of_program(&invocation);

    *command = (struct weir_command){.dialect = weir_dialects[0]->name};
    if (is_question(&invocation))
        return argc > invocation.first ? say_version(command) : say_help(command);
    if (program != NULL && (argc < 2 || argv[1][0] == '-'))
        return read_dialect(program, &invocation, command, error);
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
    *command = (struct weir_command){.dialect = weir_dialects[0]->name};
}
