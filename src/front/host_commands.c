/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that look at a host: doctor and topology. */
#include "host_commands.h"

#include "command_words.h"
#include "pinning_words.h"

#include "weir/base/cpu_set.h"

#include <errno.h>
#include <string.h>

/* More ranks on one node are taken for a typing error. */
#define RANKS_MAX 65536

/* Of both commands; a command has rows for what it knows. */
struct host_values {
    struct weir_host_question question; /* rank_count 0: not given */
    struct weir_pinning_words pinning;
    bool help;
};

/* The state of reading, of both commands. */
struct reading {
    const char *place;
    struct host_values *values;
    struct weir_arena *arena;
    struct weir_error *error;
};

#define REFUSE(reading, ...) weir_error_usage((reading)->error, (reading)->place, __VA_ARGS__)

#define AT(member) WEIR_OPTION_AT(struct host_values, member)

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
    {0, "ranks", WEIR_OPTION_COUNT, AT(question.rank_count), .most = RANKS_MAX,
     .help = "draw this many ranks; 0: none"},
    {0, "pin", WEIR_OPTION_TEXT, AT(pinning.pin),
     .help = "with --ranks: their policy, as for weir ior: none, core (if not given), pu, numa, "
             "package, storage, nic, list:0-3,8 or rankfile:PATH"},
    PIN_ORDER_ROW,
    NIC_ROW,
    {0, "format", WEIR_OPTION_CHOICE, AT(question.format), "text", "text|json",
     .help = "of the verdicts; json has no picture"},
    HELP_ROW,
    {0},
};

static const struct weir_option topology_rows[] = {
    {0, "ranks", WEIR_OPTION_COUNT, AT(question.rank_count), .most = RANKS_MAX,
     .help = "draw this many ranks; 0: one for each core, or for each processor of a list"},
    {0, "pin", WEIR_OPTION_TEXT, AT(pinning.pin), "core",
     .help = "their policy, as for weir ior: none, core, pu, numa, package, storage, nic, "
             "list:0-3,8 or rankfile:PATH"},
    PIN_ORDER_ROW,
    NIC_ROW,
    {0, "target", WEIR_OPTION_TEXT, AT(question.path),
     .help = "with --pin storage: the file, directory or device that ranks are to be near to; with "
             "--xml the name of a device, such as nvme0n1"},
    {0, "allowed", WEIR_OPTION_TEXT, AT(question.allowed),
     .help = "processors that the launcher would leave to the ranks, such as 0-3,8; if not given, "
             "those of this process, or all of a host that is not this one"},
    {0, "xml", WEIR_OPTION_TEXT, AT(question.xml_path),
     .help = "draw the host of this file, which lstopo --of xml has written on it"},
    {0, "synthetic", WEIR_OPTION_TEXT, AT(question.synthetic),
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

/* ---- what both are asked ---- */

/* Cores, unless another policy is given. */
static int read_pinning(const struct reading *reading)
{
    struct weir_pinning_words words = reading->values->pinning;

    if (!words.pin)
        words.pin = weir_pin_policy_name(WEIR_PIN_CORE);
    return weir_pinning_read(&words, reading->arena, reading->place,
                             &reading->values->question.pinning, reading->error);
}

/* ---- doctor ---- */

/* The word that stands alone, if there is one. 0, or a usage error if there are two. */
static int take_path(const struct reading *reading, int count, const char *const alone[])
{
    if (count > 1)
        return REFUSE(reading, "\"%s\" is a word too many: one path is looked at, and that is %s",
                      alone[1], alone[0]);
    reading->values->question.path = count > 0 ? alone[0] : NULL;
    return 0;
}

/* Words about ranks where none are drawn. */
static int refuse_rankless(const struct reading *reading)
{
    static const char *const of_ranks[] = {"pin", "pin-order", "nic", NULL};
    const char *option = weir_options_find_changed(doctor_rows, reading->values, of_ranks);

    if (!option || reading->values->question.rank_count > 0)
        return 0;
    return REFUSE(reading, "--%s: no ranks are drawn; say how many with --ranks, or leave it out",
                  option);
}

static int check_doctor(const struct reading *reading)
{
    const struct weir_host_question *question = &reading->values->question;

    if (refuse_rankless(reading) || (question->rank_count > 0 && read_pinning(reading)))
        return -EINVAL;
    if (question->rank_count > 0 && strcmp(question->format, "json") == 0)
        return REFUSE(reading, "--ranks: json has no picture to draw ranks in; leave it out");
    if (question->pinning.policy == WEIR_PIN_STORAGE && !question->path)
        return REFUSE(reading, "--pin: storage is that behind a path, and none is given; write "
                               "weir doctor PATH --ranks N --pin storage");
    return 0;
}

int weir_doctor_read(int count, const char *const words[], struct weir_command *command,
                     struct weir_error *error)
{
    const struct weir_command_words doctor_words = {"doctor", &doctor_set, doctor_usage, NULL};
    struct host_values values = {0};
    const struct reading reading = {doctor_words.place, &values, &command->arena, error};
    const char **parted = weir_arena_take(&command->arena, ((size_t)count + 1) * sizeof *parted);
    const struct weir_option_binding binding = {&doctor_set, &values};
    const struct weir_option_parser parser = {.bindings = &binding, .binding_count = 1};
    const int options = weir_options_part(&parser, count, words, parted);

    if (take_path(&reading, count - options, parted + options) ||
        weir_command_words_read(&doctor_words, options, parted, &values, &command->arena, command,
                                error))
        return -EINVAL;
    if (values.help)
        return 0;
    command->kind = WEIR_COMMAND_DOCTOR;
    if (check_doctor(&reading))
        return -EINVAL;
    command->question = values.question;
    return 0;
}

/* ---- topology ---- */

static int check_topology(const struct reading *reading)
{
    const struct weir_host_question *question = &reading->values->question;
    bool needs_path = question->pinning.policy == WEIR_PIN_STORAGE;
    struct weir_cpu_set allowed;

    if (question->xml_path && question->synthetic)
        return REFUSE(reading, "--synthetic: one host is drawn, and --xml names another; leave one "
                               "of the two out");
    if (question->allowed && weir_cpu_set_parse(question->allowed, &allowed) != 0)
        return REFUSE(reading,
                      "--allowed: \"%s\" is no list of processors; give numbers below %d and "
                      "ranges, such as 0-3,8",
                      question->allowed, WEIR_CPUS_MAX);
    if (needs_path && !question->path)
        return REFUSE(reading, "--pin: storage is that behind a path; give it with --target");
    if (!needs_path && question->path)
        return REFUSE(reading,
                      "--target: only --pin storage looks for what is behind a path, and "
                      "this is --pin %s; leave one of the two out",
                      weir_pin_policy_name(question->pinning.policy));
    return 0;
}

int weir_topology_read(int count, const char *const words[], struct weir_command *command,
                       struct weir_error *error)
{
    const struct weir_command_words topology_words = {"topology", &topology_set, topology_usage,
                                                      NULL};
    struct host_values values = {0};
    const struct reading reading = {topology_words.place, &values, &command->arena, error};

    if (weir_command_words_read(&topology_words, count, words, &values, &command->arena, command,
                                error))
        return -EINVAL;
    if (values.help)
        return 0;
    command->kind = WEIR_COMMAND_TOPOLOGY;
    if (read_pinning(&reading) || check_topology(&reading))
        return -EINVAL;
    command->question = values.question;
    return 0;
}
