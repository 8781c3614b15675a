/* SPDX-License-Identifier: Apache-2.0 */
/* The results over all ranks: one record per finished phase, derived once from the ranks'
 * tallies. Reports and the result file read nothing else. */
#ifndef WEIR_MEASURE_RESULT_H
#define WEIR_MEASURE_RESULT_H

#include "weir/base/arena.h"
#include "weir/base/facts.h"
#include "weir/base/finding.h"
#include "weir/measure/histogram.h"
#include "weir/measure/mismatch.h"
#include "weir/measure/places.h"
#include "weir/measure/program.h"
#include "weir/measure/rank_series.h"
#include "weir/measure/series.h"
#include "weir/measure/tally.h"
#include "weir/measure/visits.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_HOST_NAME_BYTES 64
#define WEIR_SLOWEST_KEPT 3
#define WEIR_OUTLIERS_KEPT 64

/* Origin of the bytes of a rank, as the kernel reports it after the phase. All zero = not queried.
 */
struct weir_data_origin {
    uint64_t left_asked_bytes; /* moved by direct I/O; 0 = residency is not reported */
    uint64_t left_bytes;       /* of these, in the page cache after the phase and not before it */
    uint64_t extent_bytes;     /* read, and covered by the extent map: */
    uint64_t hole_bytes;
    uint64_t unwritten_bytes;
    uint64_t inline_bytes;
    uint64_t encoded_bytes;
    uint64_t shared_bytes;
};

/* One rank's part of a phase, as gathered. Stamps are on the common clock, relative to the phase's
 * agreed start. */
struct weir_rank_row {
    int64_t stamps_ns[WEIR_STAMP_COUNT];
    uint64_t op_count;
    uint64_t byte_count;
    uint64_t short_count;
    uint64_t error_count;
    uint64_t data_ns;
    uint64_t overlapped_data_ns;
    uint64_t waited_ns;    /* for other ranks, inside of its time, of which it is no part */
    uint64_t op_max_ns;    /* the longest of its operations */
    uint64_t gap_ns;       /* the longest time in which none of its transfers ended, ... */
    uint64_t gap_begin_ns; /* ... and when it began */
    uint64_t cpu_user_ns;
    uint64_t cpu_system_ns;
    uint64_t blocked_count;
    struct weir_pace_tally pace;
    uint64_t has_deadline;
    uint64_t hit_deadline;
    uint64_t stonewall_ops;
    uint64_t stonewall_bytes;
    uint64_t stonewall_ns;
    /* what counts for struct weir_counted; all zero: nothing was moved */
    uint64_t counted_ops;
    uint64_t counted_bytes;
    uint64_t counted_ns;
    uint64_t counted_cpu_ns;
    int64_t offset_ns;      /* clock of this rank's node against the first node's: offset, ... */
    int64_t drift_ns;       /* ... change of it between the comparisons around the phase, ... */
    uint64_t error_ns;      /* ... and bound of its error */
    uint64_t drift_span_ns; /* time between the two comparisons; 0 = the clocks were not compared */
    uint64_t drift_error_ns; /* bound of the error of drift_ns: each comparison has its own */
    uint32_t node;           /* number of its node */
    struct weir_execution execution;
    struct weir_sight sight; /* its file; of a shared one and of trees, on one rank of each node */
    /* of what this rank was about to read, in the page cache of its node; asked 0: not measured, or
     * the kernel cannot tell */
    uint64_t resident_asked_bytes;
    uint64_t resident_bytes;
    /* of what this rank wrote, as struct weir_dirty_result */
    uint64_t written_asked_bytes;
    uint64_t unstored_bytes;
    uint64_t synced_asked_bytes;
    uint64_t unsynced_bytes;
    struct weir_data_origin origin;
    /* of the first rank of each node: */
    uint64_t machine; /* nodes of one machine see the same devices; 0: not known */
    struct weir_traffic traffic;
    uint64_t node_memory_bytes; /* that a page cache could take; 0: not known */
};

/* Bytes that ranks read, and those that block devices supplied for it. */
struct weir_supply_result {
    unsigned rank_count; /* ranks for which the kernel counts them */
    uint64_t storage_bytes;
    struct weir_data_origin origin; /* sums over ranks */
};

/* How much of what a phase was about to read was in page caches. */
struct weir_residency_result {
    uint64_t asked_bytes; /* 0: not known */
    uint64_t resident_bytes;
    unsigned rank_count; /* ranks that could tell */
};

/* Written bytes of a phase that were dirty, or being written back, in page caches. */
struct weir_dirty_result {
    uint64_t asked_bytes;        /* written, and covered by the survey; 0 = none */
    uint64_t unstored_bytes;     /* of these, dirty when the timed part of the phase ended */
    uint64_t synced_asked_bytes; /* synced by the plan, and covered by the survey; 0 = none */
    uint64_t unsynced_bytes;     /* of these, dirty after the sync */
    unsigned rank_count;         /* ranks whose kernel reports dirty pages */
};

/* Windows over all ranks in seconds, earliest start to latest stop, as IOR defines them: open,
 * transfer, close, and all three. Filling and checking of buffers lie within them. */
struct weir_windows {
    double open_s;
    double transfer_s;
    double close_s;
    double total_s;
};

struct weir_slow_rank {
    uint32_t rank;
    double seconds;  /* its transfer window */
    double waited_s; /* for a CPU, from the start to its last stamp; 0 = not known */
    char host[WEIR_HOST_NAME_BYTES];
};

/* A directory of a tree in which operations took longer than in the others, on average. */
struct weir_slow_directory {
    const char *path; /* in the arena */
    uint64_t op_count;
    unsigned rank_count; /* whose operations these are: it was among the slowest ones of each */
    double mean_s;       /* time of an operation */
    double max_s;
};

/* A time in which no transfer of a rank ended, though earlier and later ones did. */
struct weir_rank_gap {
    uint32_t rank;
    double seconds; /* 0: there was none as long as an interval of a series */
    double begin_s;
    const char *host;
};

/* Values of a rank that may be far from the mean: the six that IOR's -j looks at, without the
 * duplicates. */
enum weir_outlier_kind {
    WEIR_OUTLIER_START,    /* when it opened, relative to the agreed start */
    WEIR_OUTLIER_OPEN,     /* how long it took to open, ... */
    WEIR_OUTLIER_TRANSFER, /* ... to transfer, ... */
    WEIR_OUTLIER_CLOSE,    /* ... and to close */
    WEIR_OUTLIER_END       /* when it had closed, relative to the agreed start */
};
#define WEIR_OUTLIER_KINDS 5

struct weir_outlier {
    uint32_t rank;
    enum weir_outlier_kind kind;
    double value_s;
    double mean_s; /* over all ranks */
    double stddev_s;
    char host[WEIR_HOST_NAME_BYTES];
};

/* What ranks did by themselves: rank i has moved a_i bytes in t_i seconds; up to the stonewall if
 * there is one and it goes on behind it, else to its end. t_i begins with its transfers and has its
 * syncs in it, and with transfers.counts_close its close. */
struct weir_counted {
    double bytes_per_s_sum; /* of all a_i / t_i: IOzone's "Children see" */
    double bytes_per_s_min;
    double bytes_per_s_max;
    double ops_per_s_sum; /* the same of transfers */
    double ops_per_s_min;
    double ops_per_s_max;
    uint64_t bytes_min; /* the least a_i: "Min xfer" */
    uint64_t bytes_sum;
    uint64_t ops_min;
    uint64_t ops_sum;
    double cpu_s; /* processor time of all ranks in t_i */
};

/* All zero where there is no deadline. */
struct weir_stonewall {
    bool has_deadline;
    bool is_hit;      /* at least one rank saw it */
    uint64_t ops_min; /* transfers of a rank when it did, or was done before */
    uint64_t ops_max;
    double ops_mean; /* of the ranks */
    /* mean over the ranks that saw it, if none did of all: from the first transfer to then */
    double seconds;
    uint64_t bytes_min;
    double bytes_mean; /* per rank, at that time */
};

/* The rate reached at a queue depth. */
struct weir_depth_point {
    unsigned depth;
    double ops_per_s; /* of all ranks: median of its trials */
    double p50_s;     /* median time of an operation of all ranks, likewise; 0 = not recorded */
};

#define WEIR_DEPTH_POINTS_MAX 32

/* All that a search for the best depth has tried, by depth. No points: none was asked for. */
struct weir_depth_curve {
    unsigned count;
    const struct weir_depth_point *points; /* in the arena */
};

/* How the ranks of an open loop kept up with what was asked for. `asked_per_s` 0: a closed loop. */
struct weir_pace_result {
    double asked_per_s;   /* transfers of all ranks */
    double offered_s;     /* greatest of the ranks: until the last transfer issued was due */
    double end_lag_s;     /* greatest of the ranks: how late the last one was issued, ... */
    double max_lag_s;     /* ... and any */
    uint64_t max_backlog; /* most transfers of one rank that were due and not yet issued */
};

struct weir_clock_quality {
    bool is_cross_node;
    double offset_s;        /* largest offset between two nodes' raw clocks that was corrected */
    double drift_ppm;       /* largest drift that was corrected */
    double error_s;         /* bound of what is left, in any difference of two nodes' stamps */
    double drift_error_ppm; /* bound of the error of drift_ppm; 0 = not in the record */
    /* The node whose clock differs most in rate: from those of the other nodes, if there are two or
     * more of them that agree; from that of odd_other, if not; or from that of its own kernel. */
    char odd_host[WEIR_HOST_NAME_BYTES];  /* "" = not known */
    char odd_other[WEIR_HOST_NAME_BYTES]; /* "" = the other nodes, or the kernel */
    bool is_against_kernel;
    double odd_ppm;       /* difference in rate */
    double odd_error_ppm; /* bound of the error of odd_ppm */
};

enum weir_outcome {
    WEIR_OUTCOME_COMPLETE,
    WEIR_OUTCOME_PARTIAL, /* failed or interrupted; what was done is reported */
    WEIR_OUTCOME_SKIPPED  /* not begun: time limit, or an earlier phase failed */
};

/* One verb of a phase that has several for each item (WEIR_CYCLE). */
struct weir_verb_result {
    unsigned verb; /* of the plan */
    uint64_t op_count;
    uint64_t error_count;
    struct weir_histogram *latency;
};
#define WEIR_VERB_RESULTS_MAX 8

/* Quantiles of the times of one rank's operations, of each verb of its phase, in the order in which
 * the record has these; all zero: it did none. */
struct weir_rank_times {
    uint64_t op_count[WEIR_VERB_RESULTS_MAX];
    uint64_t ns[WEIR_VERB_RESULTS_MAX][WEIR_QUANTILES];
};

struct weir_phase_result {
    unsigned test;         /* number of the test */
    unsigned phase;        /* number of the phase in the plan */
    unsigned repetition;   /* round of the outermost loop around the phase; 0 without loops */
    unsigned loop_count;   /* loops around the phase */
    const uint64_t *loops; /* their rounds, outermost first, counted from 0; in the arena */
    enum weir_outcome outcome;
    bool is_interrupted; /* a signal ended it */
    char kept_from[17];  /* id of the run that measured it, if it is not this one; else "" */
    double begun_s;      /* wall clock of rank 0, seconds since 1970 */
    unsigned rank_count;
    unsigned node_count;
    unsigned near_rank_count; /* ranks that took a part which a rank of their own node writes */
    bool has_dropped_caches;  /* before it, on all nodes: those that the test wants dropped */

    uint64_t op_count;
    uint64_t rank_ops_min; /* of the rank that did the fewest operations, and ... */
    uint64_t rank_ops_max; /* ... the most */
    uint64_t byte_count;
    uint64_t expected_bytes; /* what the layout asked for */
    /* of all files of the target, as the file system says; UINT64_MAX: not asked */
    uint64_t file_bytes;
    bool has_lost_bytes;      /* a complete write whose files hold less: the audit says so */
    bool has_differing_sizes; /* ranks were told different sizes of one shared file */
    uint64_t unlogged_ops;    /* transfers that found no more room in the log of transfers */
    uint64_t short_count;
    uint64_t error_count;
    uint64_t generation; /* of the data written or expected; 0: none */
    uint64_t data_seed;
    uint64_t order_seed; /* of all that is random: order, mix, arrivals; 0: nothing is */

    struct weir_windows windows;
    /* while all ranks were transferring: latest start to earliest stop; 0 if never */
    double common_s;
    double rank_s_min; /* transfer windows of single ranks, without waits inside of them */
    double rank_s_mean;
    double rank_s_max;
    double rank_s_stddev;
    double rank_ops_per_s_min; /* of single ranks, over their transfer windows */
    double rank_ops_per_s_mean;
    double rank_ops_per_s_max;
    double op_s_min; /* smallest rank mean of time per transfer: IOR's Latency column */
    /* part of the ranks' transfer time that went into filling and checking: while nothing of the
     * rank was in flight, and beside transfers */
    double data_share;
    double overlapped_data_share;
    /* estimate: what the transfers would have taken without filling and checking, the longest of
     * the ranks' times. It is a lower bound: while one rank filled, others used the storage. 0 if
     * there was nothing to leave out, or some of it was done beside transfers, where it costs
     * anything between nothing and its length. */
    double storage_s;
    /* the longest of all ranks, while the record is shown to the observer; not in result files */
    struct weir_rank_gap gap;
    double
        cpu_user_s; /* processor time of all ranks while they transferred, with the kernel's ... */
    double cpu_system_s;    /* ... threads that worked for them alone */
    uint64_t blocked_count; /* transfers that would have blocked where that was forbidden */
    unsigned depth; /* operations in flight that were allowed, the least of all ranks; 0 = nothing
                       was moved */
    unsigned depth_max; /* the greatest of a rank; 0 = all ranks had the same */
    unsigned batch;
    struct weir_depth_curve depth_curve;
    struct weir_pace_result pace;
    bool bypasses_cache; /* the session of rank 0 was opened past the page cache */
    const char *granted; /* what the session of rank 0 got of the system; NULL: nothing to tell */
    const char
        *shortfall; /* what it, or the first rank that fell short, did not get; NULL: nothing */
    unsigned shortfall_rank_count;
    uint32_t slowest_count;
    struct weir_slow_rank slowest[WEIR_SLOWEST_KEPT];
    /* ranks further from the mean than the plan allows: all that there are, and the first of
     * them */
    uint32_t outlier_count;
    struct weir_outlier *outliers; /* in the arena; NULL if there is none */
    struct weir_stonewall stonewall;
    struct weir_counted counted;
    struct weir_clock_quality clock;
    struct weir_mismatch_summary mismatches;
    const char *failure; /* first failure: rank, host, sentence; "" if none */
    double failure_s;    /* since the agreed start, when a rank first failed; 0 = not recorded */
    const char *notes;   /* what the backend told of its files, whole lines; NULL: nothing */
    struct weir_histogram *latency;
    struct weir_histogram *submission;    /* NULL if the backend blocks */
    struct weir_histogram *response;      /* due to done; NULL in a closed loop */
    struct weir_histogram *write_latency; /* of a mixed phase; else NULL */
    struct weir_histogram *read_latency;
    /* of trees: */
    unsigned verb_count; /* 0: one verb, that of the phase */
    struct weir_verb_result verbs[WEIR_VERB_RESULTS_MAX];
    uint64_t absent_count; /* names that were to be removed and were not there */
    uint64_t found_count;  /* items that were to be made and were there */
    uint64_t left_count;   /* directories that were not removed, as there is something in them */
    unsigned slow_directory_count; /* 0: nothing was done in more than one of them */
    struct weir_slow_directory slow_directories[WEIR_SLOW_DIRECTORIES_KEPT]; /* slowest first */
    /* of a program, in the arena of the result from the start; else NULL */
    const struct weir_program_result *program;
    struct weir_series *series; /* start_ns is 0: the agreed start */
    /* of single ranks, while the record is shown and in result files */
    struct weir_rank_rates rank_rates;
    struct weir_rank_series rank_series;
    /* where ranks ran: node_count of them, and rank_count or NULL; NULL: not measured. Phases of a
     * test one after another that ran in the same places share them when they have been shown: the
     * times are their sums, the ranks are as the latest found them. */
    struct weir_node_places *node_places;
    struct weir_rank_place *rank_places;
    struct weir_residency_result residency;
    struct weir_dirty_result dirty;
    struct weir_supply_result supply;
    struct weir_traffic traffic; /* of all machines, from before the phase until after it */
    uint64_t node_memory_bytes;  /* least of the nodes; 0: not known */
    /* rank_count of them, while the record is shown to the observer for the first time; else
     * NULL */
    const struct weir_rank_row *rows;
    const struct weir_rank_times *rank_times; /* likewise, if the test tells single ranks; then of
                                                 the phase before it, too, if there is one */
    const struct weir_rank_row *earlier_rows;
    const struct weir_rank_times *earlier_rank_times;

    /* ranks that the watchdog saw not to move, the longest time of one, and what the first of them
     * was in: "rank 3 on host n2: write ..."; 0 and NULL: none */
    unsigned stalled_rank_count;
    double stall_s;
    const char *stall;

    struct weir_arena *arena; /* of the result: owns what records point to */
    unsigned finding_count;
    struct weir_finding *findings;
    struct weir_evidence evidence[WEIR_EVIDENCE_COUNT];
    enum weir_believed believed; /* follows from outcome, findings and evidence */
    /* What --measure asked for and an effect was removed for; STORAGE = none was. */
    enum weir_measure believed_as;
};

/* Computes windows, spreads, outliers (further than `outlier_s` from the mean; 0: none), stonewall,
 * clock quality and sums of `result` from the rows of all ranks. `hosts` names each rank's host.
 * Members that rows do not tell are left alone. Pure. */
void weir_result_derive(struct weir_phase_result *result, const struct weir_rank_row *rows,
                        unsigned rank_count, const char *const *hosts, double outlier_s);

/* Sums, least and greatest of the ranks' own rates. A rank that moved nothing counts, with a rate
 * of 0. */
struct weir_counted weir_counted_derive(const struct weir_rank_row *rows, unsigned rank_count);

/* How long a rank moved data or worked on names, without its waits. */
int64_t weir_rank_transfer_ns(const struct weir_rank_row *row);

/* Sets the ascending rates of ranks of `result`, in its arena. */
void weir_rank_rates_derive(struct weir_phase_result *result, const struct weir_rank_row *rows,
                            unsigned rank_count, bool is_in_bytes);

/* Seconds that the phase would have taken without filling and checking of data: its total time, of
 * which the rate is made, with the ranks' transfer window shortened to `storage_s`. 0: not known.
 */
double weir_result_estimate_s(const struct weir_phase_result *result);

/* The time of one pass through the steps under a timed label. */
struct weir_timed_result {
    unsigned test;
    const char *label;   /* in the arena, as `loops` */
    unsigned loop_count; /* as of a phase */
    const uint64_t *loops;
    unsigned rank_count; /* that did the steps */
    enum weir_outcome outcome;
    double begun_s;       /* wall clock of rank 0, seconds since 1970 */
    double seconds;       /* on the common clock: from the first start of a rank to the last end */
    double clock_error_s; /* bound of the error of `seconds` from differing clocks of nodes */
};

/* Sums over values that are read one by one: their distances are taken from the first of them,
 * which keeps the variance exact for values that lie close together. All zero: none yet. */
struct weir_sums {
    unsigned count;
    double first;
    double max;
    double min;
    double sum;
    double distance_sum;
    double square_sum;
};

void weir_sums_add(struct weir_sums *sums, double value);
/* Standard deviation of the sample; 0 of a single value. */
double weir_sums_stddev(const struct weir_sums *sums);
/* The values of `from` times `factor`; `into` is not empty. */
void weir_sums_merge(struct weir_sums *into, const struct weir_sums *from, double factor);

/* After so many repetitions of a phase, those that are like the one before keep no record. */
#define WEIR_REPETITIONS_KEPT 1000

/* Kinds of notes that repetitions without a record may have. */
#define WEIR_HISTORY_NOTES 16

/* A kind of note that a record of the phase tells. */
struct weir_history_note {
    const char *name;
    unsigned count; /* repetitions without a record that have it too */
};

/* The repetitions of a phase: how many have a record, and the sums of those that have none. They
 * are complete and right, and no note of theirs is the first of its kind. */
struct weir_phase_history {
    unsigned test;
    unsigned phase;
    unsigned kept;
    unsigned latest;              /* its position in `phases` */
    struct weir_sums bytes_per_s; /* over all three windows, as total_s */
    struct weir_sums ops_per_s;
    struct weir_sums total_s;
    uint64_t checked_transfers;
    unsigned note_count;
    struct weir_history_note notes[WEIR_HISTORY_NOTES];
    struct weir_phase_result *sum; /* NULL: all have a record */
};

/* Nodes that are alike. */
struct weir_node_group {
    unsigned count;
    const char *hosts; /* folded: "n[1-64]" */
    struct weir_node_facts facts;
};

struct weir_storage_group {
    unsigned count;
    const char *hosts;
    struct weir_storage_facts facts;
};

/* The facts of a test at its beginning. */
struct weir_test_result {
    unsigned test;
    double begun_s;
    unsigned rank_count;
    unsigned node_count;
    unsigned ranks_per_node; /* on the node of rank 0 */
    const char *node_map; /* a character of each rank: '1' on the node of rank 0, else '0'; in the
                             arena; NULL: not known */
    char path[4096];      /* file of rank 0 in the first repetition */
    /* files that were there already and will be replaced, or overwritten in place; and the first
     * of them */
    uint64_t existing_count;
    char existing_path[4096];
    char no_room[512]; /* why the files will not fit: a clause; "" if they do, or if that is unknown
                        */
    struct weir_filesystem_facts filesystem; /* of `path` */
    bool has_several_filesystems; /* files of other ranks are on other ones: what is known of `path`
                                     is not known of them */
    struct weir_storage_group *storages; /* storage behind `path`, by nodes; none if not surveyed */
    unsigned storage_count;
};

/* The run whose finished steps this one keeps. `run_id` "": it began from the start. */
struct weir_resumed {
    char run_id[17];
    double begun_s;
    unsigned step_count;
    unsigned kept_count;       /* steps that are not run again */
    unsigned kept_repetitions; /* of tests that are run again */
    const char *hosts;         /* where it ran, if not on the nodes of this one; else NULL */
};

/* The whole run. Held by rank 0 only. */
struct weir_result {
    struct weir_arena arena;
    struct weir_arena shown; /* of the record that is gathered and shown now */
    uint64_t run_id;         /* drawn when it began; 0: none, as in files of older versions */
    unsigned rank_count;     /* that were started; 0: not known */
    struct weir_resumed resumed;
    double begun_s;
    double finished_s;           /* 0 while running */
    int exit_code;               /* of the whole run, once it is finished */
    const char *exit_reason;     /* a sentence; NULL: the code is 0, or an older file has none */
    enum weir_believed believed; /* worst of the phases, once it is finished */
    uint64_t lag_items; /* of each set: so far a working set that moves on lies behind where the
                           plan has it at the end, as deadlines have cut its phases */
    bool is_interrupted;
    bool is_out_of_time;   /* ended before the batch system would have ended the job */
    const char *given_up;  /* why ranks that did not move ended the run; NULL: they did not */
    unsigned lost_records; /* of a stored run: damaged, and left out */
    char clock_name[24];
    struct weir_host_facts host;
    const char *mpi_library; /* its version, one line; NULL: no MPI */
    /* The launcher started more tasks than MPI knows, and what to start them with; NULL = not so.
     */
    const char *launch_mismatch;
    struct weir_fact *job; /* launcher, batch system, transports */
    unsigned job_count;
    struct weir_node_group *node_groups; /* all nodes, by kind; none if not surveyed */
    unsigned node_group_count;
    struct weir_test_result *tests; /* test_count of them have begun */
    unsigned test_count;
    unsigned left_out_tests; /* that have begun and are not among them: a report has others */
    struct weir_phase_result *phases; /* in the order they ran */
    unsigned phase_count;
    unsigned phase_capacity;
    struct weir_phase_history *histories; /* of phases that were kept */
    unsigned history_count;
    struct weir_timed_result *timed; /* in the order they ended */
    unsigned timed_count;
};

/* An empty result with room for `test_capacity` tests. */
struct weir_result *weir_result_open(unsigned test_capacity);
void weir_result_close(struct weir_result *result);

/* Keeps the latest record, which has been shown: what it points to, in `shown` or borrowed, is
 * copied into the arena of the result, or shared with an earlier phase where it is the same. After
 * WEIR_REPETITIONS_KEPT it is only added up, unless something about it is new.
 * `keeps_each_note`: repetitions beyond these are kept, too. */
void weir_result_keep_phase(struct weir_result *result, bool keeps_each_note);

/* The repetitions of a phase without a record; NULL if there are none. */
const struct weir_phase_history *weir_result_history(const struct weir_result *result,
                                                     unsigned test, unsigned phase);

/* Adds a row, or a sum of rows, to one of `count` rows: means of what repetitions took and moved,
 * sums of their transfers, extremes of their ranks' times. Histograms that `whole` has. */
void weir_result_merge(struct weir_phase_result *whole, const struct weir_phase_result *row,
                       unsigned count);

/* A zeroed record at the end of `phases`; valid until the next call. */
struct weir_phase_result *weir_result_begin_phase(struct weir_result *result);
/* The same with empty histograms and series in place. */
struct weir_phase_result *weir_result_add_phase(struct weir_result *result);

/* A zeroed record at the end of `timed`; valid until the next call. */
struct weir_timed_result *weir_result_add_timed(struct weir_result *result);

/* Puts alike nodes together, in the order of the first of each kind. `facts` are those of `count`
 * nodes, as weir_environment_describe makes them, and `hosts` their names. */
void weir_result_set_nodes(struct weir_result *result, const char *const *hosts,
                           const struct weir_node_facts *facts, unsigned count);
/* The same for what they see behind the target of a test. */
void weir_result_set_storages(struct weir_result *result, struct weir_test_result *test,
                              const char *const *hosts, const struct weir_storage_facts *facts,
                              unsigned count);

/* A zeroed outlier at the end of the list, to be filled in; NULL, and only counted, if the list is
 * full. */
struct weir_outlier *weir_result_add_outlier(struct weir_phase_result *phase);

/* Adds a finding with the level and the effect of its row. */
void weir_result_find(struct weir_phase_result *phase, enum weir_finding_kind kind,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds a finding of a kind whose level or effect depends on how much of it was found. */
void weir_result_find_as(struct weir_phase_result *phase, enum weir_finding_kind kind,
                         enum weir_severity severity, enum weir_effect effect, const char *format,
                         ...) __attribute__((format(printf, 5, 6)));

/* Records the answer of one reading to a question. WEIR_SEEN wins over WEIR_NOT_SEEN, and both win
 * over WEIR_CANNOT_OBSERVE, whichever reading came first. `reason` is copied; NULL = none. */
void weir_result_observe(struct weir_phase_result *phase, enum weir_evidence_question question,
                         enum weir_evidence_state state, const char *reason);

/* Computes `believed` from the outcome, the findings and the evidence of a phase. */
void weir_result_believe(struct weir_phase_result *phase);

/* False: it has no phase, or did not end by itself, or records of it are lost. */
bool weir_result_is_whole(const struct weir_result *result);

/* The worst verdict of the phases of a run; at least PARTIAL if it is not whole. */
enum weir_believed weir_result_believed(const struct weir_result *result);

/* "CAUTION", or "CAUTION cache, as asked" where --measure removed an effect. */
#define WEIR_BELIEVED_TEXT_BYTES 40
const char *weir_result_believed_text(const struct weir_phase_result *phase,
                                      char text[WEIR_BELIEVED_TEXT_BYTES]);

/* Removes the findings of this kind. */
void weir_result_forget(struct weir_phase_result *phase, enum weir_finding_kind kind);

/* Whether the drift that was measured exceeds the error of its measurement. */
bool weir_result_has_drift(const struct weir_phase_result *phase);

/* True if ranks moved other than the layout's bytes, or the files are not of that size. A phase
 * that starts again (`may_exceed`) moves more than its files hold. */
bool weir_result_has_odd_size(const struct weir_phase_result *phase, bool may_exceed);

/* The first phase whose errors of data or operations, or whose interruption, make the exit code 1;
 * NULL: there is none. */
const struct weir_phase_result *weir_result_flaw(const struct weir_result *result);

/* The exit code that follows from the phases: 0 done; 1 with errors of data or operations, or
 * interrupted. */
int weir_result_judge(const struct weir_result *result);

#endif
