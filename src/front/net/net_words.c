/* SPDX-License-Identifier: Apache-2.0 */
/* The command that measures networks: its options, and the plan they make. */
#include "net_words.h"

#include "command_words.h"
#include "common_words.h"
#include "progress_words.h"
#include "time_words.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static const char place[] = "net";

/* Of the row --inline: another one was given. */
#define STANDARD_INLINE 220

/* Most options are members of the plan. */
struct net_values {
    struct weir_net_plan plan;
    int op; /* enum weir_net_verb; -1: not given */
    const char *size;
    const char *sizes;
    const char *duration; /* text, so that 0 and nothing differ */
    const char *warm_up;
    const char *progress;
    const char *on_phase_limit;
    const char *watchdog;
    const char *give_up;
    const char *tags;
    unsigned inline_bytes;
    bool explain;
    bool help;
};

#define AT(member) WEIR_OPTION_AT(struct net_values, member)

static const struct weir_option net_rows[] = {
    {0, "provider", WEIR_OPTION_CHOICE, AT(plan.provider), "auto", "auto|verbs|tcp|shm|mpi",
     .help = "what carries the data; auto: verbs where there is a device, else tcp"},
    {0, "device", WEIR_OPTION_TEXT, AT(plan.device),
     .help = "verbs: the device, such as mlx5_0 or mlx5_0/1; if not given, the first active one"},
    {0, "interface", WEIR_OPTION_TEXT, AT(plan.interface),
     .help = "network device or address at which ranks are reached"},
    {0, "gid", WEIR_OPTION_INTEGER, AT(plan.gid_index), "-1",
     .help = "verbs: index in the port's table of GIDs; -1: chosen", .least = -1, .most = INT_MAX},
    {0, "test", WEIR_OPTION_CHOICE, AT(plan.measure), "bw", "bw|lat",
     .help = "bandwidth, or latency by ping-pong"},
    {0, "pattern", WEIR_OPTION_CHOICE, AT(plan.pattern), "pair",
     "pair|pairs|all|incast|outcast|bisection",
     .help = "who sends to whom: 0 to 1; the lower half of ranks to the upper, each alone and then "
             "together; every rank to every other; all to 0; 0 to all; halves in every way"},
    {0, "op", WEIR_OPTION_CHOICE, AT(op), NULL, "write|read|send",
     .help = "how data move: written by their source, read by their sink, or sent; write, but send "
             "over mpi"},
    {0, "both", WEIR_OPTION_FLAG, AT(plan.is_both_ways),
     .help = "both directions of each pair at once"},
    {0, "size", WEIR_OPTION_TEXT, AT(size),
     .help = "bytes of a message; if not given, 64k for bw and 8 for lat"},
    {0, "sizes", WEIR_OPTION_TEXT, AT(sizes),
     .help = "several, one after the other: 1:8m doubles from 1 to 8m; 4k,64k,1m is a list"},
    {0, "duration", WEIR_OPTION_TEXT, AT(duration),
     .help = "seconds of each measurement; if neither this nor iterations is given, 3"},
    {0, "iterations", WEIR_OPTION_COUNT, AT(plan.iterations),
     .help = "messages of each flow, in place of a duration"},
    {0, "warm-up", WEIR_OPTION_TEXT, AT(warm_up),
     .help = "seconds before each measurement that do not count; if not given, a tenth of the "
             "duration, up to 0.5"},
    {0, "depth", WEIR_OPTION_COUNT, AT(plan.depth),
     .help = "messages in flight per flow; 0: 128 for bw, 1 for lat"},
    {0, "in-flight", WEIR_OPTION_SIZE, AT(plan.in_flight_bytes),
     .help = "bytes in flight per flow, which limit the depth of large messages, but not to less "
             "than 8 of each of --pairs; 0: with --depth as many as that says, else 1m for each "
             "of --pairs"},
    {0, "batch", WEIR_OPTION_COUNT, AT(plan.batch),
     .help = "messages handed over at once, 64 at most; 0: 16, and no more than a quarter of the "
             "depth, or of what a pair has in flight"},
    {0, "pairs", WEIR_OPTION_COUNT, AT(plan.pairs), "1",
     .help = "connections of a flow: queue pairs (verbs) or sockets (tcp)"},
    {0, "signal-every", WEIR_OPTION_COUNT, AT(plan.signal_every),
     .help = "verbs: every so many messages of a list tell that they are done; 0: the last only"},
    {0, "working-set", WEIR_OPTION_SIZE, AT(plan.working_set_bytes),
     .help = "memory that a flow goes round at each end; 0: all messages in flight, up to 8m"},
    {0, "huge-pages", WEIR_OPTION_FLAG, AT(plan.wants_huge_pages),
     .help = "buffers in reserved huge pages"},
    {0, "mtu", WEIR_OPTION_SIZE, AT(plan.mtu_bytes),
     .help = "verbs: at most so much; 0: that of the port"},
    {0, "read-depth", WEIR_OPTION_COUNT, AT(plan.read_depth),
     .help = "verbs: reads in flight per queue pair; 0: the most that the device can"},
    {0, "inline", WEIR_OPTION_COUNT, AT(inline_bytes), "220",
     .help = "verbs: data of so many bytes at most travel in the request itself; 0: none",
     .most = 4096},
    {0, "service-level", WEIR_OPTION_COUNT, AT(plan.service_level),
     .help = "verbs: service level of packets: the virtual lane, or the priority of a VLAN",
     .most = 15},
    {0, "traffic-class", WEIR_OPTION_COUNT, AT(plan.traffic_class),
     .help = "verbs: traffic class of packets: of RoCE v2, DSCP times 4, by which switches choose "
             "their lossless queue",
     .most = 255},
    {0, "pkey", WEIR_OPTION_COUNT, AT(plan.pkey_index),
     .help = "verbs: index into the P_Key table of the port", .most = 65535},
    {0, "interval", WEIR_OPTION_SECONDS, AT(plan.interval_ns),
     .help = "seconds for which bytes are printed interval by interval; 0: none, but 1 with "
             "--format iperf"},
    {0, "repetitions", WEIR_OPTION_COUNT, AT(plan.repetitions), "1",
     .help = "of all of it; medians are reported"},
    {0, "format", WEIR_OPTION_CHOICE, AT(plan.format), "table",
     "table|json|iperf|perftest|csv-long|json-long",
     .help = "format of the report; csv-long and json-long: figures, named as in every command"},
    {0, "gbits", WEIR_OPTION_FLAG, AT(plan.is_in_bits),
     .help = "with --format perftest: Gbit/s, not MiB/s"},
    {0, "result", WEIR_OPTION_TEXT, AT(plan.result_path),
     .help = "append what is measured to this file, as weir ior does"},
    {0, "label", WEIR_OPTION_TEXT, AT(plan.label), .help = WEIR_LABEL_HELP},
    {0, "set", WEIR_OPTION_TEXT, AT(tags), .is_list = true, .help = WEIR_SET_HELP},
    {0, "measure", WEIR_OPTION_CHOICE, AT(plan.intent), "network", "network|cache|memory",
     .help = "what the figures are meant to be of: the network, the cache of a CPU, or memory; "
             "findings that say so then void no figure"},
    {0, "allow", WEIR_OPTION_TEXT, AT(plan.allowed),
     .help = "names of findings, such as short,loopback, that have no effect on the verdict"},
    {0, "strict", WEIR_OPTION_FLAG, AT(plan.is_strict),
     .help = "exit code 1 after a warning or a finding that voids a figure"},
    {0, "expect", WEIR_OPTION_TEXT, AT(plan.expect), .help = WEIR_EXPECT_HELP, .is_list = true},
    {0, "allow-unverified", WEIR_OPTION_FLAG, AT(plan.allows_unverified),
     .help = WEIR_ALLOW_UNVERIFIED_HELP},
    {0, "progress", WEIR_OPTION_TEXT, AT(progress), "auto", .help = WEIR_PROGRESS_HELP},
    {0, "live", WEIR_OPTION_TEXT, AT(plan.live.path), .help = WEIR_LIVE_HELP},
    {0, "on-phase", WEIR_OPTION_TEXT, AT(plan.live.on_phase), .help = WEIR_ON_PHASE_HELP},
    {0, "on-phase-limit", WEIR_OPTION_TEXT, AT(on_phase_limit), "60s",
     .help = WEIR_ON_PHASE_LIMIT_HELP},
    {0, "watchdog", WEIR_OPTION_TEXT, AT(watchdog), "60s", .help = WEIR_WATCHDOG_HELP},
    {0, "give-up", WEIR_OPTION_TEXT, AT(give_up),
     .help = "end the run if a task has not moved for so long, at least the time of --watchdog: "
             "finished measurements are in the result"},
    {0, "verify", WEIR_OPTION_FLAG, AT(plan.must_verify),
     .help = "stamp every message, and look for what came wrong, twice, or not at all"},
    {0, "explain", WEIR_OPTION_FLAG, AT(explain), .help = "print the plan, and stop"},
    {'h', "help", WEIR_OPTION_FLAG, AT(help), .help = "print this, and stop"},
    {0},
};

static const struct weir_option_set net_set = {"net", net_rows, sizeof(struct net_values)};

static const struct weir_foreign_word foreign_words[] = {
    {"time|runtime|seconds|t", "--duration SECONDS"},
    {"n|np|nprocs|ntasks|ranks|hosts|server|client|host",
     "mpiexec -n NUMBER weir net ...: the launcher starts the ranks on their hosts"},
    {"parallel|streams|connections|qps|qp", "--pairs NUMBER"},
    {"iters|messages", "--iterations NUMBER"},
    {"length|len|bytes|msgsize|msg-size", "--size BYTES"},
    {"all-sizes|all", "--sizes 1:8m"},
    {"bidirectional|bidir|duplex", "--both"},
    {"json", "--format json"},
    {"report_gbits|report-gbits", "--gbits"},
    {"tx-depth|queue-depth|window|iodepth", "--depth NUMBER"},
    {"repeat|runs", "--repetitions NUMBER"},
    {"ib-dev|dev", "--device NAME"},
    {0},
};

static const char usage[] =
    "Usage: mpiexec -n N weir net [OPTION...]\n\n"
    "Measures bandwidth or latency between ranks, from memory to memory, over RDMA verbs, TCP, "
    "shared\nmemory or MPI.\n";

/* State shared by all parts of the reading. */
struct reading {
    const struct net_values *values;
    struct weir_net_plan *plan; /* that of the values */
    struct weir_error *error;
};

#define REFUSE(reading, ...) weir_error_usage((reading)->error, place, __VA_ARGS__)

/* ---- sizes ---- */

static int add_size(const struct reading *reading, uint64_t bytes)
{
    struct weir_net_plan *plan = reading->plan;

    if (plan->size_count == WEIR_NET_SIZES_MAX)
        return REFUSE(reading, "--sizes: more than %d sizes; give fewer", WEIR_NET_SIZES_MAX);
    plan->sizes[plan->size_count++] = bytes;
    return 0;
}

static int read_size(const struct reading *reading, const char *option, const char *word,
                     uint64_t *bytes)
{
    if (weir_size_parse(word, bytes) == 0)
        return 0;
    return REFUSE(reading,
                  "--%s: \"%s\" is not a size; give bytes, or a number with k, m or g behind "
                  "it",
                  option, word);
}

/* "LOW:HIGH": doubled from one to the other; the higher one is always among them. */
static int add_range(const struct reading *reading, const char *low_word, const char *high_word)
{
    uint64_t low, high;

    if (read_size(reading, "sizes", low_word, &low) ||
        read_size(reading, "sizes", high_word, &high))
        return -EINVAL;
    if (low == 0 || low > high)
        return REFUSE(reading, "--sizes: %s:%s does not rise from 1 or more; give it as 1:8m",
                      low_word, high_word);
    for (uint64_t bytes = low; bytes < high; bytes *= 2)
        if (add_size(reading, bytes))
            return -EINVAL;
    return add_size(reading, high);
}

static int add_list(const struct reading *reading, char *list)
{
    for (char *word = list, *next; word != NULL; word = next) {
        char *comma = strchr(word, ',');
        uint64_t bytes;

        next = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL)
            *comma = '\0';
        if (read_size(reading, "sizes", word, &bytes) || add_size(reading, bytes))
            return -EINVAL;
    }
    return 0;
}

static int read_sizes(const struct reading *reading)
{
    const struct net_values *values = reading->values;
    uint64_t bytes = reading->plan->measure == WEIR_NET_LATENCY ? 8 : 64 << 10;
    char *copy, *colon;

    if (values->size != NULL && values->sizes != NULL)
        return REFUSE(reading, "--sizes: --size gives one already; leave one of the two out");
    if (values->sizes == NULL) {
        if (values->size != NULL && read_size(reading, "size", values->size, &bytes))
            return -EINVAL;
        return add_size(reading, bytes);
    }
    copy = weir_arena_copy(&reading->plan->arena, values->sizes);
    colon = strchr(copy, ':');
    if (colon == NULL)
        return add_list(reading, copy);
    *colon = '\0';
    return add_range(reading, copy, colon + 1);
}

/* ---- time ---- */

static int read_seconds(const struct reading *reading, const char *option, const char *word,
                        uint64_t *ns)
{
    if (weir_time_parse(word, UINT64_C(1000000000), ns) == 0)
        return 0;
    return REFUSE(reading,
                  "--%s: \"%s\" is not a time (0 or more): seconds, or a number with ms, s, m "
                  "or h behind it",
                  option, word);
}

static int read_times(const struct reading *reading)
{
    const struct net_values *values = reading->values;
    struct weir_net_plan *plan = reading->plan;
    const uint64_t standard_ns = UINT64_C(3000000000), warm_up_most_ns = UINT64_C(500000000);

    plan->duration_ns = plan->iterations > 0 ? 0 : standard_ns;
    if (values->duration != NULL &&
        read_seconds(reading, "duration", values->duration, &plan->duration_ns))
        return -EINVAL;
    plan->warm_up_ns = (plan->duration_ns > 0 ? plan->duration_ns : standard_ns) / 10;
    if (plan->warm_up_ns > warm_up_most_ns)
        plan->warm_up_ns = warm_up_most_ns;
    if (values->warm_up != NULL &&
        read_seconds(reading, "warm-up", values->warm_up, &plan->warm_up_ns))
        return -EINVAL;
    if (plan->interval_ns == 0 && plan->format == WEIR_NET_IPERF && plan->iterations == 0 &&
        plan->measure == WEIR_NET_BANDWIDTH)
        plan->interval_ns = UINT64_C(1000000000);
    return 0;
}

/* ---- load ---- */

/* Enough for any one stream or queue pair within a data centre: 80 Gbit/s over 100 us. More would
 * only lie in queues, where it falls out of caches. */
#define IN_FLIGHT_OF_PAIR (UINT64_C(1) << 20)

/* A value of 0 was not given. */
static void settle_load(struct weir_net_plan *plan)
{
    bool is_latency = plan->measure == WEIR_NET_LATENCY;
    bool is_depth_given = plan->depth > 0;

    plan->is_batch_given = plan->batch > 0;
    if (!is_depth_given)
        plan->depth = is_latency ? 1 : 128;
    if (!plan->is_batch_given)
        plan->batch = plan->depth < 4 ? 1 : plan->depth < 64 ? plan->depth / 4 : 16;
    if (plan->pairs == 0)
        plan->pairs = 1;
    if (plan->repetitions == 0)
        plan->repetitions = 1;
    if (plan->in_flight_bytes == 0 && !is_depth_given && !is_latency)
        plan->in_flight_bytes = plan->pairs * IN_FLIGHT_OF_PAIR;
}

/* ---- provider ---- */

/* An option that only one provider has implies that provider. */
static void settle_provider(const struct net_values *values, struct weir_net_plan *plan)
{
    static const char *const of_verbs[] = {
        "device", "gid",           "mtu",           "read-depth", "signal-every",
        "inline", "service-level", "traffic-class", "pkey",       NULL};

    plan->verb = values->op >= 0                      ? (enum weir_net_verb)values->op
                 : strcmp(plan->provider, "mpi") == 0 ? WEIR_NET_SEND
                                                      : WEIR_NET_WRITE;
    if (strcmp(plan->provider, "auto") == 0)
        plan->provider = weir_options_find_changed(net_rows, values, of_verbs) ? "verbs" : NULL;
    plan->inline_bytes = values->inline_bytes == STANDARD_INLINE ? 0
                         : values->inline_bytes == 0             ? UINT_MAX
                                                                 : values->inline_bytes;
}

static int read_format(const struct reading *reading)
{
    const struct net_values *values = reading->values;
    struct weir_net_plan *plan = reading->plan;

    if (plan->is_in_bits && plan->format != WEIR_NET_PERFTEST)
        return REFUSE(reading, "--gbits: only --format perftest has lines in either unit; leave it "
                               "out, or say --format perftest");
    if (weir_allowed_check(plan->allowed, place, reading->error) ||
        weir_label_check(plan->label, place, reading->error) ||
        weir_tags_read(values->tags, &plan->arena, place, reading->error, &plan->tags,
                       &plan->tag_count) ||
        weir_progress_read(values->progress, place, reading->error, &plan->progress_ns) ||
        weir_live_read(values->on_phase_limit, plan->progress_ns, place, reading->error,
                       &plan->live))
        return -EINVAL;
    return weir_watchdog_read(values->watchdog, values->give_up, place, reading->error,
                              &plan->watchdog_ns, &plan->give_up_ns);
}

static int settle(const struct reading *reading)
{
    if (read_format(reading) || read_sizes(reading) || read_times(reading))
        return -EINVAL;
    settle_provider(reading->values, reading->plan);
    settle_load(reading->plan);
    return weir_net_plan_check(reading->plan, reading->error);
}

static const char *join(struct weir_arena *arena, int count, const char *const words[])
{
    struct weir_text text = {0};
    const char *line;

    weir_text_add(&text, "weir net");
    for (int i = 0; i < count; i++)
        weir_text_add(&text, " %s", words[i]);
    line = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return line;
}

int weir_net_words_read(int count, const char *const words[], struct weir_command *command,
                        struct weir_error *error)
{
    const struct weir_command_words net_words = {place, &net_set, usage, foreign_words};
    struct weir_arena arena = {0};
    struct net_values *values = weir_arena_take(&arena, sizeof *values);
    struct weir_net_plan *plan = &values->plan;
    const struct reading reading = {values, plan, error};
    int failure;

    plan->arena = arena;
    failure =
        weir_command_words_read(&net_words, count, words, values, &plan->arena, command, error);
    if (failure || values->help || (failure = settle(&reading)) != 0) {
        weir_net_plan_close(plan);
        return failure;
    }
    plan->command_line = join(&plan->arena, count, words);
    command->kind = values->explain ? WEIR_COMMAND_NET_EXPLAIN : WEIR_COMMAND_NET;
    command->net = plan;
    return 0;
}
