/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `weir net` found. Held by rank 0. */
#ifndef WEIR_FLOWS_RESULT_H
#define WEIR_FLOWS_RESULT_H

#include "weir/base/arena.h"
#include "weir/base/execution.h"
#include "weir/flows/plan.h"
#include "weir/measure/histogram.h"
#include "weir/measure/result.h"

#include <stdbool.h>
#include <stdint.h>

/* One flow in one measurement. All times in seconds, as the source counts them, but for
 * sink_seconds. */
struct weir_net_flow_result {
    uint32_t source;
    uint32_t sink;
    uint64_t message_count;
    uint64_t byte_count;
    double seconds; /* first post to last completion */
    double begin_s; /* from the agreed start */
    double
        peak_bytes_per_s; /* best of the parts of a hundredth of the time or more; 0: not known */
    double
        latency_min_s; /* of one message; half of a round trip for WRITE and SEND in latency runs */
    double latency_median_s;
    double latency_max_s;
    uint64_t wrong_count;      /* messages whose content was wrong, if looked at */
    uint64_t retransmit_count; /* tcp: segments; verbs: of the port; UINT64_MAX: not known */
    const char *failure;       /* "" or NULL if none; in the arena of the result */
};

static inline bool weir_net_flow_has_failed(const struct weir_net_flow_result *flow)
{
    return flow->failure != NULL && flow->failure[0] != '\0';
}

/* What the flows of a measurement make together. */
struct weir_net_totals {
    uint32_t flow_count;
    uint32_t failed_count;
    uint32_t inside_count; /* that never left their host */
    uint64_t message_count;
    uint64_t wrong_count;
    uint64_t retransmit_count;  /* UINT64_MAX: not known of any */
    double slowest_bytes_per_s; /* of those that did not fail */
    double fastest_bytes_per_s;
    double peak_bytes_per_s;
    /* Where flows are left out: what those that did not fail are like, by bytes/s or in a run of
     * latencies by the median of a message's time in seconds; all else in the same unit. */
    double first_percentile;
    double median;
    double last_percentile; /* the 99th */
    double odd_beyond;      /* so much slower than the median: as of an odd pair, below */
    uint32_t odd_count;
    double latency_median_s; /* of all messages */
    double latency_max_s;
};

/* All flows of one round with one message size, in one repetition. */
struct weir_net_measurement {
    uint32_t round;
    uint32_t repetition;
    bool is_alone; /* PAIRS: one pair by itself */
    uint64_t message_bytes;
    double begun_s;     /* wall clock, since 1970 */
    double seconds;     /* first post to last completion of any flow, on one clock */
    double common_s;    /* while all flows were running */
    double bytes_per_s; /* of all flows together, over `seconds` */
    struct weir_histogram
        *latency;          /* merged over flows; of single messages, NULL if it was not taken */
    bool is_latency_bound; /* messages were signalled in lists: latencies are upper bounds */
    struct weir_net_flow_result *flows; /* all, or the worst of them, worst first */
    uint32_t flow_count;
    const struct weir_net_totals *totals; /* of all; NULL: all are in `flows` */
    double cpu_s;                         /* processor time of all ranks meanwhile */
    /* of the rank that waited most for a CPU: the share of its time; 0 = below one permille */
    double waited_share;
    uint32_t waited_rank;
    struct weir_pressure pressure; /* of the node of waited_rank */
    double rank_excess;            /* most ranks per CPU of a node; 0 = none above 1 */
    uint32_t excess_rank;          /* a rank of that node */
    double clock_ppm; /* greatest drift of a clock against its kernel's, less the error; 0 = none */
    uint32_t clock_rank;
};

/* Bytes of one second of a running measurement (format iperf). */
struct weir_net_interval {
    uint32_t measurement;
    uint32_t flow;
    double begin_s;
    double end_s;
    uint64_t byte_count;
};

/* One end of a link, as rank 0 sees it in a table. */
struct weir_net_rank {
    char host[WEIR_HOST_NAME_BYTES];
    char device[32];
    char address[64];
    int32_t numa_node;
    uint32_t mtu_bytes; /* of its port; 0: not known */
    uint64_t buffer_bytes;
    uint64_t huge_page_bytes; /* of the buffers; UINT64_MAX: huge pages were not asked for */
};

struct weir_net_result {
    struct weir_arena arena;
    uint64_t run_id; /* drawn when it began */
    double begun_s;
    double finished_s;
    char provider[16];
    char transport[24];
    char library[96]; /* of the mpi provider */
    bool is_latency;  /* times of single messages were measured, not rates */
    uint32_t mtu_bytes;
    uint32_t inline_bytes;
    uint32_t read_depth;
    uint64_t link_bits_per_s;
    uint64_t working_set_bytes; /* that a flow goes round at each end; 0: not known */
    uint64_t cache_bytes;       /* largest cache of a processor of rank 0; 0: not known */
    double copy_bytes_per_s;    /* memcpy of rank 0, an upper bound of what memory can do */
    uint32_t rank_count;
    uint32_t node_count;
    struct weir_net_rank *ranks;
    struct weir_net_measurement *measurements;
    uint32_t measurement_count;
    uint32_t measurement_capacity;
    struct weir_net_interval *intervals;
    uint32_t interval_count;
    uint32_t interval_capacity;
    /* Where there are too many flows to keep (0: there are not), so many of each measurement are
     * kept, and what follows is used again for each one. */
    uint32_t kept_flow_count;
    struct weir_net_flow_result *spare_flows;
    uint32_t spare_flow_count;
    struct weir_histogram *spare_latency;
    /* Latencies of measurements without failures that have none themselves any more. */
    struct weir_net_latencies {
        uint64_t message_bytes;
        struct weir_histogram *merged;
    } * latencies;
    uint32_t latency_count;
    uint32_t latency_capacity;
    unsigned finding_count;
    struct weir_finding *findings;
    enum weir_believed believed;   /* follows from the findings */
    enum weir_measure believed_as; /* what --measure removed an effect for; STORAGE = none */
    bool is_interrupted;
    bool has_failed;
    int exit_code;
    const char *exit_reason; /* NULL: the code is 0 */
};

struct weir_net_result *weir_net_result_open(void);
void weir_net_result_close(struct weir_net_result *result);
/* Zeroed, with room for its flows and a histogram; valid until the next call. */
struct weir_net_measurement *weir_net_result_add(struct weir_net_result *result,
                                                 uint32_t flow_count);

/* Before anything is measured: of all flows of each measurement, so many of which are in one, the
 * worst `keep` are kept. The matrix, and latencies of single measurements, then are not. */
void weir_net_result_keep(struct weir_net_result *result, uint32_t flow_count, uint32_t keep);
/* Of the flows of a measurement that is complete, leaves out all but the worst: those that failed,
 * had wrong data, or were slowest. What it was before is in its totals. */
void weir_net_measurement_reduce(struct weir_net_result *result,
                                 struct weir_net_measurement *measurement, uint32_t keep);
struct weir_net_totals weir_net_totals_of(const struct weir_net_result *result,
                                          const struct weir_net_measurement *measurement);

/* One line of a summary: all measurements of one message size that ran together, medians over
 * repetitions (and rounds, where rounds do the same). What failed is left out, unless all did. */
struct weir_net_summary {
    uint64_t message_bytes;
    uint64_t message_count; /* of all flows, of all */
    double seconds;         /* median */
    double bytes_per_s;     /* all flows together: median; 0: none ran together */
    double bytes_per_s_min; /* over repetitions and rounds */
    double bytes_per_s_max;
    double peak_bytes_per_s; /* best of a flow's parts */
    double messages_per_s;
    double flow_bytes_per_s_min; /* slowest and fastest flow: medians */
    double flow_bytes_per_s_max;
    double alone_bytes_per_s; /* PAIRS: sum over pairs of what each had alone; 0 */
    double cpu_cores;         /* processors kept busy, of all ranks: median */
    double
        latency_s[8]; /* min, mean, median, 90, 99, 99.9 %, max, standard deviation; 0: not taken */
    bool is_latency_bound;
};

enum weir_net_latency {
    WEIR_NET_LATENCY_MIN,
    WEIR_NET_LATENCY_MEAN,
    WEIR_NET_LATENCY_MEDIAN,
    WEIR_NET_LATENCY_P90,
    WEIR_NET_LATENCY_P99,
    WEIR_NET_LATENCY_P999,
    WEIR_NET_LATENCY_MAX,
    WEIR_NET_LATENCY_STDDEV,
    WEIR_NET_LATENCY_COUNT
};

/* True if `message_count` messages are enough for this figure: the 99 % quantile needs 100. */
bool weir_net_latency_is_known(enum weir_net_latency figure, uint64_t message_count);

/* The figures of one histogram, in seconds; all 0 if it is NULL or empty. */
void weir_net_latency_describe(const struct weir_histogram *histogram,
                               double seconds[WEIR_NET_LATENCY_COUNT]);

/* Lines in the order in which sizes were first measured; returns how many, at most `capacity`. */
uint32_t weir_net_result_summarise(const struct weir_net_result *result,
                                   struct weir_net_summary *lines, uint32_t capacity);

/* The flow from each rank to each other with this message size: bytes/s, or where latencies were
 * measured the median of a message's time in seconds; the median over repetitions; 0 where there is
 * none. What a pair had alone, if pairs were measured alone. `matrix` has rank_count squared
 * entries, row: source. */
void weir_net_result_matrix(const struct weir_net_result *result, uint64_t message_bytes,
                            double *matrix);

/* The same of what ran together only (`is_alone` false), or alone only. */
void weir_net_result_matrix_of(const struct weir_net_result *result, uint64_t message_bytes,
                               bool is_alone, double *matrix);

/* A pair that is slower (bandwidth; or later, latency) than the others: further below the median of
 * all pairs than 4 times their median deviation, and than 10 %. Of two, none can be. Where flows
 * are left out: than those that ran with it, for each time; of a measurement no more than are kept.
 * Returns how many; writes up to `capacity`, worst first. */
struct weir_net_odd_pair {
    uint32_t source;
    uint32_t sink;
    double value; /* as in the matrix */
    double median;
};
uint32_t weir_net_result_odd_pairs(const struct weir_net_result *result, uint64_t message_bytes,
                                   struct weir_net_odd_pair *pairs, uint32_t capacity);

bool weir_net_flow_is_inside(const struct weir_net_result *result,
                             const struct weir_net_flow_result *flow);
/* True if no flow left its host. */
bool weir_net_result_is_local(const struct weir_net_result *result);

/* Adds a finding if there is room; the runner may add its own before it has the rest judged. */
void weir_net_result_find(struct weir_net_result *result, enum weir_finding_kind kind,
                          const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds a finding with a level or an effect that is not that of its row. */
void weir_net_result_find_as(struct weir_net_result *result, enum weir_finding_kind kind,
                             enum weir_severity severity, enum weir_effect effect,
                             const char *format, ...) __attribute__((format(printf, 5, 6)));

/* What is doubtful becomes a finding: a trunk that does not add up, an odd pair, intervals that did
 * not overlap, working set within the cache, messages with errors, latencies that are bounds,
 * retransmits, ends with unequal MTUs, and what the provider says nothing about. Sets has_failed if
 * a flow failed or brought wrong data. Once per result, when all is measured. */
void weir_net_result_judge(struct weir_net_result *result);

/* Removes the effects that the plan allows, and computes the verdict. Once, after the judgement. */
void weir_net_result_believe(struct weir_net_result *result, const struct weir_net_plan *plan);

/* True if the plan is strict and a finding is a warning or voids a figure. */
bool weir_net_result_is_refused(const struct weir_net_result *result,
                                const struct weir_net_plan *plan);

/* Bytes that flow `flow` of measurement `measurement` moved in an interval; for format iperf. */
void weir_net_result_add_interval(struct weir_net_result *result,
                                  const struct weir_net_interval *interval);

#endif
