/* SPDX-License-Identifier: Apache-2.0 */
/* The words on both sides of "--", and those of --noise-from, are parted before options are
 * parsed. */
#include "compare_words.h"

#include "export_words.h"

#include "weir/base/compare_request.h"
#include "weir/base/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(...) weir_error_usage(error, "compare", __VA_ARGS__)

/* Options may be on either side; `label` and `run` are of their side. */
struct compare_values {
    struct weir_compare_request request;
    struct weir_redact_request redact;
    const char *label, *run, *limit, *expected, *earlier, *format;
    bool help;
};

#define AT(member) WEIR_OPTION_AT(struct compare_values, member)

static const struct weir_option compare_rows[] = {
    {0, "label", WEIR_OPTION_TEXT, AT(label),
     .help = "of this side: only runs with this --label; without files, those of the other side"},
    {0, "run", WEIR_OPTION_TEXT, AT(run),
     .help =
         "of this side: last, a number from 1 on, or the beginning of a run's id; if not given, "
         "all runs"},
    {0, "across", WEIR_OPTION_TEXT, AT(request.across),
     .help = "keys, separated by commas, that rows of A and B need not have in common: ranks, "
             "nodes, filesystem, target, transport, label, kernel, version, mpi_library, storage, "
             "options, distribution, cpu_model, hosts, cpus, or the key of a tag"},
    {0, "by", WEIR_OPTION_TEXT, AT(request.by),
     .help = "compare runs of one list of files by the values of such a key; the first value is A"},
    {0, "figures", WEIR_OPTION_TEXT, AT(request.figures),
     .help = "figures, separated by commas, as weir report --format csv-long names them: rate, "
             "ops, p50, p99 ...; if not given, rates of data and operations per second"},
    {0, "noise-from", WEIR_OPTION_TEXT, AT(earlier),
     .help = "result files of earlier runs, as words up to the next option: the noise of a case is "
             "that between at least 5 of them"},
    {0, "fail-if-slower", WEIR_OPTION_TEXT, AT(limit), "5%",
     .help = "exit with 1 if a row is SLOWER by more than this; also the limit of \"the same\""},
    {0, "fail-if-unsure", WEIR_OPTION_FLAG, AT(request.fails_if_unsure),
     .help = "exit with 4 if some rows are undecided"},
    {0, "allow-unsure", WEIR_OPTION_FLAG, AT(request.allows_unsure),
     .help = "exit with 0, not 3, if rows match and none can be decided"},
    {0, "expect-cases", WEIR_OPTION_TEXT, AT(expected),
     .help = "exit with 5 if fewer than this number of cases are compared, or one that this result "
             "file has is not"},
    {0, "format", WEIR_OPTION_CHOICE, AT(format), "text", "text|json|html|svg|gnuplot",
     .help = "of the comparison: html is a page with pictures; svg and gnuplot, one --picture"},
    {0, "picture", WEIR_OPTION_TEXT, AT(request.picture),
     .help =
         "change: the change of each case with its range; sides, sides-ops or times: the values "
         "of A and B; in 78 x 14 characters, or as --format svg or gnuplot"},
    {0, "output", WEIR_OPTION_TEXT, AT(request.output_path),
     .help = "file of mode 0644 for the comparison; replaces an old one by rename"},
    WEIR_REDACT_ROWS(struct compare_values),
    {'h', "help", WEIR_OPTION_FLAG, AT(help), .help = "print this, and stop"},
    {0},
};

static const struct weir_option_set compare_set = {"compare", compare_rows,
                                                   sizeof(struct compare_values)};

static const char compare_usage[] =
    "Usage: weir compare FILE... -- FILE... [OPTION...]\n"
    "       weir compare FILE --label NAME -- --label NAME [OPTION...]\n"
    "       weir compare FILE... --by KEY [OPTION...]\n\n"
    "Compares runs in result files (--result), A with B: a row for each case that both have, with\n"
    "the change, its 95 % range, the smallest change that would have been seen, and a verdict.\n"
    "Needs 3 repetitions or runs of a case on each side to decide it.\n";

/* Copies words to `parted`, but for those of --noise-from, which go to `earlier`. Returns how many
 * were copied. */
static int part_earlier(int count, const char *const words[], const char **parted,
                        struct weir_compare_source *earlier)
{
    static const char name[] = "--noise-from";
    const char **paths = (const char **)(uintptr_t)earlier->paths;
    int kept = 0;

    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], name, sizeof name - 1) != 0 ||
            (words[i][sizeof name - 1] != '=' && words[i][sizeof name - 1] != '\0')) {
            parted[kept++] = words[i];
            continue;
        }
        if (words[i][sizeof name - 1] == '=')
            paths[earlier->path_count++] = words[i] + sizeof name;
        else if (i + 1 == count || words[i + 1][0] == '-')
            parted[kept++] = words[i]; /* refused: its value is missing */
        while (i + 1 < count && words[i + 1][0] != '-')
            paths[earlier->path_count++] = words[++i];
    }
    return kept;
}

/* Reads "5%" or "5", in percent. */
static int read_limit(const char *text, double *limit, struct weir_error *error)
{
    char *end;
    double percent = strtod(text, &end);

    while (*end == ' ')
        end++;
    if (end == text || (strcmp(end, "") != 0 && strcmp(end, "%") != 0) || !(percent >= 0) ||
        !(percent < 100))
        return REFUSE(
            "--fail-if-slower: \"%s\" is no part of a rate: give 0%% to below 100%%, such "
            "as 5%%",
            text);
    *limit = percent / 100;
    return 0;
}

int weir_compare_words_read(int count, const char *const words[], struct weir_command *command,
                            struct weir_error *error)
{
    struct compare_values values = {0};
    struct weir_compare_request *request = &values.request;
    struct weir_compare_source *sides = request->sides;
    const struct weir_option_binding binding = {&compare_set, &values};
    const struct weir_option_parser parser = {
        .place = "compare", .arena = &command->arena, .bindings = &binding, .binding_count = 1};
    size_t room = ((size_t)count + 1) * sizeof *words;
    int first = 0, end = 0;
    bool has_b = false;

    request->earlier.paths = weir_arena_take(&command->arena, room);
    weir_options_reset(&parser);
    for (int side = 0; side < 2; side++) {
        const char **kept = weir_arena_take(&command->arena, room);
        const char **parted = weir_arena_take(&command->arena, room);
        int kept_count, options;

        for (end = first; end < count && strcmp(words[end], "--") != 0;)
            end++;
        if (side == 1 && end < count)
            return REFUSE("there is more than one --: it parts A from B once");
        kept_count = part_earlier(end - first, words + first, kept, &request->earlier);
        options = weir_options_part(&parser, kept_count, kept, parted);
        if (weir_options_parse(&parser, options, parted, error) != 0)
            return -EINVAL;
        sides[side] = (struct weir_compare_source){.paths = parted + options,
                                                   .path_count = (unsigned)(kept_count - options),
                                                   .run = values.run,
                                                   .label = values.label};
        values.run = values.label = NULL;
        has_b |= side == 0 && end < count;
        first = end < count ? end + 1 : count;
    }
    if (values.help) {
        command->kind = WEIR_COMMAND_SAY;
        weir_text_add(&command->text, "%s", compare_usage);
        weir_options_help(&command->text, &compare_set);
        return 0;
    }
    if (sides[0].path_count == 0)
        return REFUSE("the result files of A are missing: weir compare FILE... -- FILE...");
    if (request->by != NULL && has_b)
        return REFUSE("--by compares groups of one list of files: leave out the --, or --by");
    if (request->by == NULL && !has_b)
        return REFUSE("there is no -- between A and B: weir compare FILE... -- FILE..., or --by "
                      "KEY");
    if (sides[1].path_count == 0 && has_b && sides[1].label == NULL && sides[1].run == NULL)
        return REFUSE("B has no result file, no --label and no --run");
    if (request->fails_if_unsure && request->allows_unsure)
        return REFUSE("--fail-if-unsure and --allow-unsure contradict each other: give one of "
                      "them");
    if (sides[1].path_count == 0) {
        sides[1].paths = sides[0].paths;
        sides[1].path_count = sides[0].path_count;
    }
    request->redact = values.redact;
    request->is_json = strcmp(values.format, "json") == 0;
    if (request->picture != NULL || weir_text_list_has("html,svg,gnuplot", values.format))
        request->drawn = values.format;
    if (request->picture != NULL && !weir_text_list_has("text,svg,gnuplot", values.format))
        return REFUSE("--picture: \"%s\" is not a format of pictures: use svg, gnuplot or text",
                      values.format);
    if (request->picture != NULL && request->output_path != NULL &&
        strcmp(values.format, "text") == 0)
        return REFUSE("--output: a picture in characters is for a terminal: redirect it, or choose "
                      "--format svg or gnuplot");
    if (values.expected != NULL &&
        (weir_integer_parse(values.expected, &request->expected_count) != 0 ||
         request->expected_count <= 0)) {
        request->expected_count = 0;
        request->expected_path = values.expected;
    }
    if (read_limit(values.limit, &request->limit, error) != 0)
        return -EINVAL;
    command->kind = WEIR_COMMAND_COMPARE;
    command->compare = *request;
    return 0;
}
