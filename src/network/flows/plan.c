/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a net run: what it may be, and as text. */
#include "weir/flows/plan.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char place[] = "net";

void weir_net_plan_close(struct weir_net_plan *plan)
{
    struct weir_arena arena;

    if (plan == NULL)
        return;
    /* The plan itself lies in it. */
    arena = plan->arena;
    weir_arena_close(&arena);
}

const char *weir_net_measure_name(enum weir_net_measure measure)
{
    return measure == WEIR_NET_LATENCY ? "latency" : "bandwidth";
}

const char *weir_net_pattern_name(enum weir_net_pattern pattern)
{
    static const char *const names[] = {
        [WEIR_NET_PAIR] = "pair",       [WEIR_NET_PAIRS] = "pairs",
        [WEIR_NET_ALL] = "all",         [WEIR_NET_INCAST] = "incast",
        [WEIR_NET_OUTCAST] = "outcast", [WEIR_NET_BISECTION] = "bisection"};

    assert((size_t)pattern < COUNT(names));
    return names[pattern];
}

const char *weir_net_verb_name(enum weir_net_verb verb)
{
    static const char *const names[] = {
        [WEIR_NET_WRITE] = "write", [WEIR_NET_READ] = "read", [WEIR_NET_SEND] = "send"};

    assert((size_t)verb < COUNT(names));
    return names[verb];
}

static const char *format_name(enum weir_net_format format)
{
    static const char *const names[] = {
        [WEIR_NET_TABLE] = "table",       [WEIR_NET_JSON] = "json",
        [WEIR_NET_IPERF] = "iperf",       [WEIR_NET_PERFTEST] = "perftest",
        [WEIR_NET_CSV_LONG] = "csv-long", [WEIR_NET_JSON_LONG] = "json-long"};

    assert((size_t)format < COUNT(names));
    return names[format];
}

/* ---- what cannot be ---- */

#define REFUSE(error, ...) weir_error_usage(error, place, __VA_ARGS__)

static bool is_provider(const struct weir_net_plan *plan, const char *name)
{
    return plan->provider != NULL && strcmp(plan->provider, name) == 0;
}

/* Options that speak of queue pairs and their ports. */
static int check_verbs_words(const struct weir_net_plan *plan, struct weir_error *error)
{
    const char *option = plan->device != NULL      ? "device"
                         : plan->gid_index >= 0    ? "gid"
                         : plan->mtu_bytes > 0     ? "mtu"
                         : plan->read_depth > 0    ? "read-depth"
                         : plan->signal_every > 0  ? "signal-every"
                         : plan->inline_bytes > 0  ? "inline"
                         : plan->service_level > 0 ? "service-level"
                         : plan->traffic_class > 0 ? "traffic-class"
                         : plan->pkey_index > 0    ? "pkey"
                                                   : NULL;

    if (option == NULL || plan->provider == NULL || is_provider(plan, "verbs"))
        return 0;
    return REFUSE(error,
                  "--%s: the provider %s has no such thing; leave it out, or say --provider verbs",
                  option, plan->provider);
}

static int check_mpi(const struct weir_net_plan *plan, struct weir_error *error)
{
    if (!is_provider(plan, "mpi"))
        return 0;
    if (plan->verb != WEIR_NET_SEND)
        return REFUSE(error, "--op %s: over mpi, messages are sent; say --op send",
                      weir_net_verb_name(plan->verb));
    if (plan->interface != NULL)
        return REFUSE(error,
                      "--interface: MPI chooses its network itself, by its own variables; leave "
                      "it out");
    if (plan->pairs > 1)
        return REFUSE(error, "--pairs: MPI chooses its connections itself; leave it out");
    return 0;
}

static int check_pairs(const struct weir_net_plan *plan, struct weir_error *error)
{
    if (plan->verb == WEIR_NET_SEND && plan->pairs > 1)
        return REFUSE(error, "--pairs: messages that are sent keep their order, on one connection; "
                             "leave it out, or say --op write or read");
    if (is_provider(plan, "shm") && plan->pairs > 1)
        return REFUSE(error,
                      "--pairs: between processes of one node there is one way through memory; "
                      "leave it out, or say --provider tcp or verbs");
    return 0;
}

static int check_sizes(const struct weir_net_plan *plan, struct weir_error *error)
{
    if (plan->size_count == 0)
        return REFUSE(error, "--size: no size is given; give one, such as 64k");
    for (unsigned i = 0; i < plan->size_count; i++) {
        uint64_t bytes = plan->sizes[i];

        if (bytes == 0 || bytes > UINT64_C(1) << 30)
            return REFUSE(error, "--size: %" PRIu64 " bytes are no message; give 1 to 1g", bytes);
        if (plan->working_set_bytes > 0 && plan->working_set_bytes < bytes)
            return REFUSE(error,
                          "--working-set: %" PRIu64 " bytes hold no message of %" PRIu64
                          "; give as much, or leave it out",
                          plan->working_set_bytes, bytes);
        if (plan->must_verify && bytes < 8)
            return REFUSE(error,
                          "--verify: a message of %" PRIu64 " bytes has no room for a stamp; give "
                          "8 or more",
                          bytes);
    }
    return 0;
}

static int check_load(const struct weir_net_plan *plan, struct weir_error *error)
{
    if (plan->depth == 0 || plan->depth > 1u << 16)
        return REFUSE(error, "--depth: %u messages in flight; give 1 to 65536", plan->depth);
    if (plan->batch == 0 || plan->batch > plan->depth)
        return REFUSE(error, "--batch: %u messages at once, and --depth is %u; give 1 to that many",
                      plan->batch, plan->depth);
    if (plan->batch > WEIR_NET_BATCH_MAX)
        return REFUSE(error, "--batch: %u messages at once; give 1 to %u", plan->batch,
                      WEIR_NET_BATCH_MAX);
    if (plan->pairs == 0 || plan->pairs > WEIR_NET_PAIRS_MAX)
        return REFUSE(error, "--pairs: %u per flow; give 1 to %u", plan->pairs, WEIR_NET_PAIRS_MAX);
    if (plan->repetitions == 0 || plan->repetitions > 10000)
        return REFUSE(error, "--repetitions: %u; give 1 to 10000", plan->repetitions);
    if (plan->must_verify && plan->working_set_bytes > 0)
        return REFUSE(error,
                      "--working-set: with --verify each message in flight has a place of its "
                      "own, %u in all; leave it out",
                      plan->depth);
    return 0;
}

static int check_time(const struct weir_net_plan *plan, struct weir_error *error)
{
    const uint64_t most_ns = UINT64_C(24) * 3600 * 1000000000;

    if (plan->duration_ns > 0 && plan->iterations > 0)
        return REFUSE(error, "--iterations: --duration says already when it ends; leave one of the "
                             "two out");
    if (plan->duration_ns == 0 && plan->iterations == 0)
        return REFUSE(error, "--duration: 0 measures nothing; give seconds, or --iterations");
    if (plan->duration_ns > most_ns || plan->warm_up_ns > most_ns)
        return REFUSE(error, "--%s: longer than a day; give fewer seconds",
                      plan->duration_ns > most_ns ? "duration" : "warm-up");
    if (plan->interval_ns > 0 && plan->iterations > 0)
        return REFUSE(error,
                      "--interval: with --iterations nobody knows how many there will be; say "
                      "--duration");
    if (plan->interval_ns > 0 && plan->interval_ns < 1000000)
        return REFUSE(error, "--interval: shorter than a millisecond; give 0.001 or more");
    return 0;
}

static int check_latency(const struct weir_net_plan *plan, struct weir_error *error)
{
    if (plan->measure != WEIR_NET_LATENCY)
        return 0;
    if (plan->is_both_ways)
        return REFUSE(error, "--both: a ping-pong goes both ways as it is; leave it out");
    if (plan->depth != 1)
        return REFUSE(error,
                      "--depth: latency is that of one message at a time; leave it out, or say "
                      "--test bw");
    if (plan->pairs > 1)
        return REFUSE(error,
                      "--pairs: latency is that of one message at a time, on one connection; "
                      "leave it out, or say --test bw");
    if (plan->in_flight_bytes > 0)
        return REFUSE(error, "--in-flight: latency is that of one message at a time; leave it out, "
                             "or say --test bw");
    if (plan->working_set_bytes > 0)
        return REFUSE(error,
                      "--working-set: latency is that of one message at a time, in one place; "
                      "leave it out, or say --test bw");
    if (plan->is_in_bits)
        return REFUSE(error, "--gbits: latency is a time, and has no unit of rates; leave it out, "
                             "or say --test bw");
    if (plan->must_verify)
        return REFUSE(error,
                      "--verify: latency runs look at no more than the end of a message; say "
                      "--test bw");
    if (plan->interval_ns > 0)
        return REFUSE(error, "--interval: lines of intervals tell bandwidth; leave it out, or say "
                             "--test bw");
    if (plan->format == WEIR_NET_IPERF)
        return REFUSE(error,
                      "--format: iperf has no lines for latency; say table, json or perftest");
    return 0;
}

int weir_net_plan_check(const struct weir_net_plan *plan, struct weir_error *error)
{
    static int (*const checks[])(const struct weir_net_plan *, struct weir_error *) = {
        check_verbs_words, check_mpi,  check_pairs, check_latency,
        check_sizes,       check_load, check_time};

    for (size_t i = 0; i < COUNT(checks); i++) {
        int failure = checks[i](plan, error);

        if (failure)
            return failure;
    }
    return 0;
}

/* ---- what is in flight ---- */

/* Over soft-RoCE two messages of 1 MiB in flight move two thirds of what 128 do. */
#define IN_FLIGHT_LEAST UINT64_C(8)

unsigned weir_net_plan_depth(const struct weir_net_plan *plan, uint64_t message_bytes)
{
    uint64_t fitting;

    if (plan->in_flight_bytes == 0)
        return plan->depth;
    fitting = plan->in_flight_bytes / message_bytes;
    if (fitting < IN_FLIGHT_LEAST * plan->pairs)
        fitting = IN_FLIGHT_LEAST * plan->pairs;
    return fitting < plan->depth ? (unsigned)fitting : plan->depth;
}

unsigned weir_net_plan_batch(const struct weir_net_plan *plan, uint64_t message_bytes)
{
    unsigned depth = weir_net_plan_depth(plan, message_bytes), quarter;

    if (plan->is_batch_given || depth == plan->depth)
        return plan->batch < depth ? plan->batch : depth;
    quarter = depth > 4 * plan->pairs ? depth / (4 * plan->pairs) : 1;
    return plan->batch < quarter ? plan->batch : quarter;
}

/* ---- as text ---- */

static void add_word(struct weir_text *text, const char *name, const char *word)
{
    weir_text_add(text, "%s: ", name);
    weir_text_add_visible(text, word != NULL ? word : "chosen");
    weir_text_add(text, "\n");
}

static void add_size(struct weir_text *text, const char *name, uint64_t bytes, const char *if_none)
{
    char buffer[WEIR_SIZE_TEXT_BYTES];

    weir_text_add(text, "%s: %s\n", name,
                  bytes > 0 ? weir_size_format_exact(bytes, buffer) : if_none);
}

static void add_sizes(const struct weir_net_plan *plan, struct weir_text *text)
{
    char buffer[WEIR_SIZE_TEXT_BYTES];

    weir_text_add(text, "message sizes:");
    for (unsigned i = 0; i < plan->size_count; i++)
        weir_text_add(text, " %s", weir_size_format_exact(plan->sizes[i], buffer));
    weir_text_add(text, "\n");
}

static void add_number(struct weir_text *text, const char *name, uint64_t number,
                       const char *if_none)
{
    if (number > 0)
        weir_text_add(text, "%s: %" PRIu64 "\n", name, number);
    else
        weir_text_add(text, "%s: %s\n", name, if_none);
}

void weir_net_plan_explain(const struct weir_net_plan *plan, struct weir_text *text)
{
    weir_text_add(text, "net plan\n");
    add_word(text, "provider", plan->provider);
    add_word(text, "device", plan->device);
    add_word(text, "interface", plan->interface);
    if (plan->gid_index >= 0)
        weir_text_add(text, "gid: %d\n", plan->gid_index);
    else
        weir_text_add(text, "gid: chosen\n");
    add_size(text, "mtu", plan->mtu_bytes, "of the port");
    add_number(text, "read depth", plan->read_depth, "of the device");
    if (plan->inline_bytes > 0)
        weir_text_add(text, "inline: %u\n",
                      plan->inline_bytes == UINT_MAX ? 0 : plan->inline_bytes);
    if (plan->service_level > 0 || plan->traffic_class > 0 || plan->pkey_index > 0)
        weir_text_add(text, "service level: %u\ntraffic class: %u\nP_Key index: %u\n",
                      plan->service_level, plan->traffic_class, plan->pkey_index);
    weir_text_add(text, "measure: %s\npattern: %s\nverb: %s\nboth ways: %s\n",
                  weir_net_measure_name(plan->measure), weir_net_pattern_name(plan->pattern),
                  weir_net_verb_name(plan->verb), plan->is_both_ways ? "yes" : "no");
    add_sizes(plan, text);
    if (plan->iterations > 0)
        weir_text_add(text, "messages: %" PRIu64 " per flow\n", plan->iterations);
    else
        weir_text_add(text, "duration: %.9g s\n", (double)plan->duration_ns * 1e-9);
    weir_text_add(text, "warm-up: %.9g s\n", (double)plan->warm_up_ns * 1e-9);
    weir_text_add(text, "depth: %u\n", plan->depth);
    add_size(text, "in flight", plan->in_flight_bytes, "as depth says");
    weir_text_add(text, "batch: %u\npairs: %u\n", plan->batch, plan->pairs);
    add_number(text, "signal every", plan->signal_every, "the last of a list");
    add_size(text, "working set", plan->working_set_bytes, "messages in flight, up to 8m");
    weir_text_add(text, "huge pages: %s\n", plan->wants_huge_pages ? "yes" : "no");
    weir_text_add(text, "repetitions: %u\nverify: %s\nformat: %s\n", plan->repetitions,
                  plan->must_verify ? "yes" : "no", format_name(plan->format));
    if (plan->interval_ns > 0)
        weir_text_add(text, "interval: %.9g s\n", (double)plan->interval_ns * 1e-9);
    if (plan->intent != WEIR_MEASURE_STORAGE)
        weir_text_add(text, "figures are meant to be of %s (--measure)\n",
                      weir_measure_names[plan->intent]);
    if (plan->allowed != NULL)
        weir_text_add(text, "findings without effect: %s (--allow)\n", plan->allowed);
    if (plan->is_strict)
        weir_text_add(text, "warnings and void figures are errors\n");
    if (plan->expect != NULL)
        weir_text_add(text, "conditions: %s%s\n", plan->expect,
                      plan->allows_unverified ? " (of UNVERIFIED figures, too)" : "");
}

static const char *format_time(double seconds, char buffer[32])
{
    if (seconds < 120)
        snprintf(buffer, 32, "%.3g s", seconds);
    else if (seconds < 7200)
        snprintf(buffer, 32, "%.0f min", seconds / 60);
    else
        snprintf(buffer, 32, "%.1f h", seconds / 3600);
    return buffer;
}

/* Rounds of n ranks, as weir_net_round_count has them. */
static const char *rounds_of_n(const struct weir_net_plan *plan)
{
    switch (plan->pattern) {
    case WEIR_NET_PAIRS:
        return "n/2 + 1 on n ranks";
    case WEIR_NET_ALL:
        return plan->is_both_ways ? "n - 1 on n ranks (n, if n is odd)"
                                  : "2 (n - 1) on n ranks (2 n, if n is odd)";
    case WEIR_NET_BISECTION:
        return "n/2 on n ranks";
    default:
        return "1";
    }
}

void weir_net_outlook_add(const struct weir_net_plan *plan, uint32_t rank_count,
                          struct weir_text *text)
{
    double each_s = (double)(plan->duration_ns + plan->warm_up_ns) * 1e-9;
    uint64_t rounds = weir_net_round_count(plan, rank_count);
    uint64_t measurements = rounds * plan->size_count * plan->repetitions;
    const char *messages = plan->iterations > 0 ? " and the messages" : "";
    char each[32], all[32];

    format_time(each_s, each);
    if (rank_count < 2) {
        weir_text_add(text,
                      "rounds: %s\ntime: %s%s for each round, size and repetition; start it with "
                      "mpiexec -n N to see the sum\n",
                      rounds_of_n(plan), each, messages);
        return;
    }
    weir_text_add(text,
                  "ranks: %" PRIu32 "\nrounds: %" PRIu64 "\nmeasurements: %" PRIu64
                  " (rounds x sizes x repetitions)\ntime: %s at least, %s%s for each measurement\n",
                  rank_count, rounds, measurements, format_time(each_s * (double)measurements, all),
                  each, messages);
}
