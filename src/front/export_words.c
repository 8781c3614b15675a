/* SPDX-License-Identifier: Apache-2.0 */
#include "export_words.h"

#include "weir/base/options.h"

#include <errno.h>
#include <string.h>

#define REFUSE(...) weir_error_usage(error, "export", __VA_ARGS__)

struct export_values {
    const char *output, *run, *label, *with;
    struct weir_redact_request redact;
    bool help;
};

#define AT(member) WEIR_OPTION_AT(struct export_values, member)

static const struct weir_option export_rows[] = {
    {'o', "output", WEIR_OPTION_TEXT, AT(output), .help = "the database; made if there is none"},
    {0, "run", WEIR_OPTION_TEXT, AT(run),
     .help = "last, a number from 1 on, or the id of a run; if not given, all runs"},
    {0, "label", WEIR_OPTION_TEXT, AT(label), .help = "runs with this --label only"},
    {0, "with", WEIR_OPTION_TEXT, AT(with),
     .help = "further tables, separated by commas: histograms, the latencies of each phase in "
             "buckets; series, its operations and bytes by interval"},
    WEIR_REDACT_ROWS(struct export_values),
    {'h', "help", WEIR_OPTION_FLAG, AT(help), .help = "print this, and stop"},
    {0},
};

static const struct weir_option_set export_set = {"export", export_rows,
                                                  sizeof(struct export_values)};

static const char export_usage[] =
    "Usage: weir export sqlite FILE... -o DATABASE [OPTION...]\n\n"
    "Imports the runs of result files (--result) into a database of SQLite, whose view \"result\" "
    "has\n"
    "the columns of weir report --format csv-long. A run that is there already is replaced.\n";

int weir_export_words_read(int count, const char *const words[], struct weir_command *command,
                           struct weir_error *error)
{
    struct export_values values = {0};
    const struct weir_option_binding binding = {&export_set, &values};
    const struct weir_option_parser parser = {
        .place = "export", .arena = &command->arena, .bindings = &binding, .binding_count = 1};
    const char **parted = weir_arena_take(&command->arena, ((size_t)count + 1) * sizeof *words);
    int options = weir_options_part(&parser, count, words, parted);
    struct weir_export_request *request = &command->export;

    weir_options_reset(&parser);
    if (weir_options_parse(&parser, options, parted, error) != 0)
        return -EINVAL;
    if (values.help) {
        command->kind = WEIR_COMMAND_SAY;
        weir_text_add(&command->text, "%s", export_usage);
        weir_options_help(&command->text, &export_set);
        return 0;
    }
    parted += options;
    if (options == count)
        return REFUSE("the format is missing: weir export sqlite FILE... -o DATABASE");
    if (strcmp(parted[0], "sqlite") != 0)
        return REFUSE("\"%s\" is no format: there is sqlite; weir report --format prints others",
                      parted[0]);
    if (count - options < 2)
        return REFUSE("the result file is missing: weir export sqlite FILE... -o DATABASE");
    if (values.output == NULL || values.output[0] == '\0')
        return REFUSE("-o: the name of the database is missing");
    *request = (struct weir_export_request){.paths = parted + 1,
                                            .path_count = (unsigned)(count - options - 1),
                                            .run = values.run,
                                            .label = values.label,
                                            .database_path = values.output,
                                            .redact = values.redact};
    for (const char *at = values.with; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");

        if (length == 10 && strncmp(at, "histograms", length) == 0)
            request->has_histograms = true;
        else if (length == 6 && strncmp(at, "series", length) == 0)
            request->has_series = true;
        else
            return REFUSE("--with: \"%.*s\" is neither histograms nor series", (int)length, at);
        at += length + (at[length] == ',');
    }
    command->kind = WEIR_COMMAND_EXPORT;
    return 0;
}
