/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that look at a host: doctor and topology. */
#include "host_commands.h"

#include "pinning_words.h"

#include "weir/base/cpu_set.h"
#include "weir/base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* More on one node are a slip of the hand. */
#define RANKS_MAX 65536

/* Of both commands; a command has rows for what it knows. */
struct host_values {
    struct weir_pinning_words pinning;
    int64_t ranks; /* 0: not given */
    const char *xml_path;
    const char *synthetic;
    const char *allowed;
    const char *target;
    int64_t help;
};

/* What both commands read with. */
struct reading {
    const struct weir_option_parser *parser;
    const struct host_values *values;
    struct weir_command *command;
    struct weir_error *error;
};

#define REFUSE(reading, ...)                                                                       \
    weir_error_usage((reading)->error, (reading)->parser->place, __VA_ARGS__)

#define AT(member) offsetof(struct host_values, member)

#define PIN_ORDER_ROW                                                                              \
    {                                                                                              \
        0, "pin-order", WEIR_OPTION_CHOICE, AT(pinning.order), "auto", "auto|compact|scatter",     \
            .help = "in which order ranks take places; auto: turns for numa and package"           \
    }
#define NIC_ROW                                                                                    \
    {                                                                                              \
        0, "nic", WEIR_OPTION_TEXT, AT(pinning.nic), "auto",                                       \
            .help = "with --pin nic: the network device; auto: the first that is up"               \
    }
#define HELP_ROW                                                                                   \
    {                                                                                              \
        'h', "help", WEIR_OPTION_FLAG, AT(help), .help = "print this, and stop"                    \
    }

static const struct weir_option doctor_rows[] = {
    {0, "ranks", WEIR_OPTION_COUNT, AT(ranks), .help = "draw this many ranks; 0: none"},
    {0, "pin", WEIR_OPTION_TEXT, AT(pinning.pin),
     .help = "with --ranks: their policy, as for weir ior: none, core (if not given), pu, numa, "
             "package, storage, nic, list:0-3,8 or rankfile:PATH"},
    PIN_ORDER_ROW,
    NIC_ROW,
    HELP_ROW,
    {0},
};

static const struct weir_option topology_rows[] = {
    {0, "ranks", WEIR_OPTION_COUNT, AT(ranks),
     .help = "draw this many ranks; 0: one for each core, or for each processor of a list"},
    {0, "pin", WEIR_OPTION_TEXT, AT(pinning.pin), "core",
     .help = "their policy, as for weir ior: none, core, pu, numa, package, storage, nic, "
             "list:0-3,8 or rankfile:PATH"},
    PIN_ORDER_ROW,
    NIC_ROW,
    {0, "target", WEIR_OPTION_TEXT, AT(target),
     .help = "with --pin storage: the file, directory or device that ranks are to be near to; with "
             "--xml the name of a device, such as nvme0n1"},
    {0, "allowed", WEIR_OPTION_TEXT, AT(allowed),
     .help = "processors that the launcher would leave to the ranks, such as 0-3,8; if not given, "
             "those of this process, or all of a host that is not this one"},
    {0, "xml", WEIR_OPTION_TEXT, AT(xml_path),
     .help = "draw the host of this file, which lstopo --of xml has written on it"},
    {0, "synthetic", WEIR_OPTION_TEXT, AT(synthetic),
     .help = "draw a host that does not exist, such as \"pack:2 numa:4 core:8 pu:2\" (as hwloc "
             "has it)"},
    HELP_ROW,
    {0},
};

static const struct weir_option_set doctor_set = {"doctor", doctor_rows,
                                                  sizeof(struct host_values)};
static const struct weir_option_set topology_set = {"topology", topology_rows,
                                                    sizeof(struct host_values)};

static const char doctor_usage[] = "Usage: weir doctor [PATH] [OPTION...]\n\n"
                                   "Says what this host can do for a benchmark: each subject is "
                                   "good, limited or missing, with the "
                                   "way\n"
                                   "to make it good. PATH is a directory, file or device that is "
                                   "looked at as well. Needs neither\n"
                                   "mpiexec nor root.\n";
static const char topology_usage[] =
    "Usage: weir topology [OPTION...]\n\n"
    "Draws the packages, NUMA nodes, cores and processors of this host or another one, and which "
    "of them\n"
    "each rank of weir ior --pin would get. Needs neither mpiexec nor root, and moves nothing.\n";

/* ---- words ---- */

/* Parts a word that stands alone, NULL if there is none, from those that the parser reads. 0, or
 * a usage error if there are two. */
static int take_path(const struct reading *reading, int count, const char *const words[],
                     const char **others, int *other_count)
{
    const int options = weir_options_part(reading->parser->bindings[0].set, count, words, others);

    if (count > options + 1)
        return REFUSE(reading,
                      "\"%s\" is a word too many: one path is looked at, and that is "
                      "%s",
                      others[options + 1], others[options]);
    if (count > options)
        reading->command->question.path = others[options];
    *other_count = options;
    return 0;
}

/* ---- what both are asked ---- */

static int say_help(struct weir_command *command, const char *usage,
                    const struct weir_option_set *set)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_text_add(&command->text, "%s", usage);
    weir_options_help(&command->text, set);
    return 0;
}

static int read_ranks(const struct reading *reading)
{
    int64_t ranks = reading->values->ranks;

    if (ranks > RANKS_MAX)
        return REFUSE(reading, "--ranks: %" PRId64 " ranks on one host; give at most %d", ranks,
                      RANKS_MAX);
    reading->command->question.rank_count = (unsigned)ranks;
    return 0;
}

/* Cores, unless another policy is given. */
static int read_pinning(const struct reading *reading)
{
    struct weir_pinning_words words = reading->values->pinning;

    if (!words.pin)
        words.pin = weir_pin_policy_name(WEIR_PIN_CORE);
    return weir_pinning_read(&words, reading->parser->arena, reading->parser->place,
                             &reading->command->question.pinning, reading->error);
}

/* ---- doctor ---- */

static bool is_chosen(const char *word)
{
    return word && strcasecmp(word, WEIR_WORD_AUTO) != 0;
}

/* Words about ranks where none are drawn. */
static int refuse_rankless(const struct reading *reading)
{
    const struct weir_pinning_words *words = &reading->values->pinning;
    const char *option = words->pin                ? "pin"
                         : is_chosen(words->order) ? "pin-order"
                         : is_chosen(words->nic)   ? "nic"
                                                   : NULL;

    if (!option || reading->values->ranks > 0)
        return 0;
    return REFUSE(reading, "--%s: no ranks are drawn; say how many with --ranks, or leave it out",
                  option);
}

static int ask_doctor(const struct reading *reading)
{
    const struct weir_host_question *question = &reading->command->question;

    if (refuse_rankless(reading) || read_ranks(reading))
        return -EINVAL;
    if (question->rank_count > 0 && read_pinning(reading))
        return -EINVAL;
    if (question->pinning.policy == WEIR_PIN_STORAGE && !question->path)
        return REFUSE(reading, "--pin: storage is that behind a path, and none is given; write "
                               "weir doctor PATH --ranks N --pin storage");
    return 0;
}

int weir_doctor_read(int count, const char *const words[], struct weir_command *command,
                     struct weir_error *error)
{
    struct host_values values;
    const struct weir_option_binding binding = {&doctor_set, &values};
    const struct weir_option_parser parser = {
        .place = "doctor", .arena = &command->arena, .bindings = &binding, .binding_count = 1};
    const struct reading reading = {&parser, &values, command, error};
    const char **others = weir_arena_take(&command->arena, ((size_t)count + 1) * sizeof *others);
    int other_count;

    weir_options_reset(&parser);
    if (take_path(&reading, count, words, others, &other_count) ||
        weir_options_parse(&parser, other_count, others, error))
        return -EINVAL;
    if (values.help)
        return say_help(command, doctor_usage, &doctor_set);
    command->kind = WEIR_COMMAND_DOCTOR;
    return ask_doctor(&reading);
}

/* ---- topology ---- */

static int read_host(const struct reading *reading)
{
    const struct host_values *values = reading->values;
    struct weir_host_question *question = &reading->command->question;
    struct weir_cpu_set allowed;

    if (values->xml_path && values->synthetic)
        return REFUSE(reading, "--synthetic: one host is drawn, and --xml names another; leave one "
                               "of the two out");
    if (values->allowed && weir_cpu_set_parse(values->allowed, &allowed) != 0)
        return REFUSE(reading,
                      "--allowed: \"%s\" is no list of processors; give numbers below %d and "
                      "ranges, such as 0-3,8",
                      values->allowed, WEIR_CPUS_MAX);
    question->xml_path = values->xml_path;
    question->synthetic = values->synthetic;
    question->allowed = values->allowed;
    return 0;
}

static int read_target(const struct reading *reading)
{
    struct weir_host_question *question = &reading->command->question;
    bool is_needed = question->pinning.policy == WEIR_PIN_STORAGE;

    question->path = reading->values->target;
    if (is_needed && !question->path)
        return REFUSE(reading, "--pin: storage is that behind a path; give it with --target");
    if (!is_needed && question->path)
        return REFUSE(reading,
                      "--target: only --pin storage looks for what is behind a path, and "
                      "this is --pin %s; leave one of the two out",
                      weir_pin_policy_name(question->pinning.policy));
    return 0;
}

int weir_topology_read(int count, const char *const words[], struct weir_command *command,
                       struct weir_error *error)
{
    struct host_values values;
    const struct weir_option_binding binding = {&topology_set, &values};
    const struct weir_option_parser parser = {
        .place = "topology", .arena = &command->arena, .bindings = &binding, .binding_count = 1};
    const struct reading reading = {&parser, &values, command, error};

    weir_options_reset(&parser);
    if (weir_options_parse(&parser, count, words, error))
        return -EINVAL;
    if (values.help)
        return say_help(command, topology_usage, &topology_set);
    command->kind = WEIR_COMMAND_TOPOLOGY;
    if (read_ranks(&reading) || read_pinning(&reading) || read_host(&reading) ||
        read_target(&reading))
        return -EINVAL;
    return 0;
}
