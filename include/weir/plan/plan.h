/* SPDX-License-Identifier: Apache-2.0 */
/* The plan: what shall happen, in the program's own words. Built once by a front end, then const.
 * It holds no number of the rank that reads it, no handles, clocks or MPI types, and the words of a
 * dialect only as texts that reports repeat. */
#ifndef WEIR_PLAN_PLAN_H
#define WEIR_PLAN_PLAN_H

#include "weir/base/arena.h"
#include "weir/base/descriptor.h"
#include "weir/base/error.h"
#include "weir/base/facts.h"
#include "weir/base/finding.h"
#include "weir/base/live.h"
#include "weir/base/pinning.h"
#include "weir/base/text.h"
#include "weir/plan/layout.h"
#include "weir/plan/program.h"
#include "weir/plan/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_PATH_BYTES 4096
#define WEIR_PLAN_DEPTH_MAX 4096
#define WEIR_PLAN_RANKS_MAX (UINT64_C(1) << 20) /* a plan must not overflow for as many ranks */
#define WEIR_PLAN_NESTING_MAX 4096              /* steps around a step */

/* A file, or a family of files; or a tree. */
struct weir_target {
    const char *const *paths; /* at least one; file number n uses entry n mod path_count */
    size_t path_count;
    /* not NULL: the paths are directories, in which there are trees of this kind: the tree of rank
     * r in entry r mod path_count, or all in the first one. They are made if they are missing, and
     * those that were made are removed with the last tree in them. No other member is set. */
    const struct weir_tree *tree;
    bool is_shared;              /* one file for all ranks; else file number r is rank r's own */
    bool has_own_directory;      /* own files: one for each, named by its number, made if missing */
    bool is_new_each_repetition; /* the repetition is part of the name */
    /* own files: each path is a pattern of the whole name, in which %r stands for the number of the
     * file and %% for a percent sign; without %r there are as many paths as ranks at least */
    bool has_exact_names;
    unsigned file_mode; /* of files that are made, less the umask; 0 = 0664, as IOR's */
    bool is_device;     /* the paths are block devices, used as they are and never removed:
                           own ones are the rank's by its number */
    /* own files: each is "data" in a directory per processor package, whose number stands behind
     * the path: /mnt0/data.00000003 for a rank on package 0 and the path /mnt (IOR -y) */
    bool has_package_directory;
};

/* Which file of a target. */
struct weir_file_place {
    uint64_t number; /* of the file */
    uint64_t repetition;
    uint64_t package; /* processor package of the rank that writes it */
};

/* Writes the path of a file: NAME for a shared file and for a device, what the pattern says for
 * exact names, else NAME.00000003 for file number 3 (DIRECTORY/3/NAME.00000003 if it has its own
 * directory), with .<repetition> behind it if the target asks. 0, or -ENAMETOOLONG. */
int weir_target_path(const struct weir_target *target, const struct weir_file_place *place,
                     char path[WEIR_PATH_BYTES]);

/* Whether each of the paths, which are patterns of exact names, has the number of the file in it:
 * else there must not be more files than paths. */
bool weir_target_has_numbers(const struct weir_target *target);

enum weir_payload_mode {
    WEIR_PAYLOAD_STAMP, /* a header per 4 KiB and a word per sector prove place, writer and
                           generation; the rest is fixed filler */
    WEIR_PAYLOAD_FULL,  /* every word depends on place, writer and generation */
    WEIR_PAYLOAD_NONE,  /* whatever the buffer holds: nothing to verify */
    WEIR_PAYLOAD_IOR    /* the bytes that IOR 4.x writes, for verification by it or of its files */
};

/* IOR's patterns (-l t, o, i, r), for WEIR_PAYLOAD_IOR. */
enum weir_ior_pattern {
    WEIR_IOR_TIMESTAMP,
    WEIR_IOR_OFFSET,
    WEIR_IOR_INCOMPRESSIBLE,
    WEIR_IOR_RANDOM
};
#define WEIR_IOR_PATTERN_COUNT 4

/* "timestamp", "offset", "incompressible", "random" */
extern const char *const weir_ior_pattern_names[WEIR_IOR_PATTERN_COUNT];

struct weir_payload {
    enum weir_payload_mode mode;
    enum weir_ior_pattern pattern; /* of WEIR_PAYLOAD_IOR */
    bool seed_is_given;
    uint32_t seed; /* if given; else the run draws one */
};

/* When a phase ends before its layout does, or goes on after it. */
struct weir_stop {
    uint64_t deadline_ns; /* stonewall: each rank stops after this time; 0: none */
    /* the stonewall comes when the first rank is done with its part, before it syncs and closes
     * (IOzone); not together with a deadline */
    bool ends_with_first;
    bool has_wear_out;       /* then all ranks go on to the count of the furthest */
    uint64_t op_limit;       /* transfers per rank; 0: all of the layout */
    uint64_t minimum_ns;     /* start the layout again until this time is over; 0: once */
    const char *status_path; /* a write stores the furthest count, a read is limited by it */
    /* of directories in a test that has files too: the second count of the file is theirs */
    bool is_second_count;
};

/* When transfers are made. */
enum weir_arrivals {
    WEIR_ARRIVALS_CLOSED,   /* as soon as an earlier one is done: a closed loop */
    WEIR_ARRIVALS_CONSTANT, /* one by one at equal distances, whether earlier ones are done or not
                             */
    WEIR_ARRIVALS_POISSON   /* the same at random distances, exponentially distributed */
};

/* The load of an open loop. */
struct weir_rate {
    enum weir_arrivals arrivals;
    double per_s;     /* > 0, but for a closed loop: 0 */
    bool is_in_bytes; /* else in transfers */
    bool is_per_rank; /* else of the job, in equal parts for its ranks */
};

enum weir_verb {
    WEIR_WRITE,
    WEIR_READ,
    WEIR_MIXED,  /* some transfers write and the others read, in a file that is there */
    WEIR_REMOVE, /* the files of the target */
    /* of trees, an operation for each item: */
    WEIR_CREATE,    /* open a file that is made, write its data, sync it if asked to, close it */
    WEIR_MKNOD,     /* make an empty file without opening it */
    WEIR_OPEN,      /* open and close */
    WEIR_READ_FILE, /* open, read its data, close */
    WEIR_STAT,
    WEIR_LOOKUP, /* stat of a name that is not there */
    WEIR_RENAME,
    WEIR_LINK,    /* a second name */
    WEIR_SYMLINK, /* a symbolic link to it */
    WEIR_CHMOD,
    WEIR_SETXATTR,
    WEIR_GETXATTR,
    WEIR_LIST,      /* a directory of the tree, with the names of all that is in it */
    WEIR_LIST_STAT, /* the same with a stat of each of them */
    WEIR_UNLINK,
    WEIR_MKDIR, /* an item, or the directories of the tree */
    WEIR_RMDIR,
    WEIR_CYCLE,  /* several of these for each item, each timed for itself */
    WEIR_PROGRAM /* statements, which each rank goes through by itself */
};
#define WEIR_VERB_COUNT 23

/* "write", "read", "mixed", "remove", "create", "mknod", "open", "read-file", "stat", ... */
extern const char *const weir_verb_names[WEIR_VERB_COUNT];
const char *weir_verb_name(enum weir_verb verb);

/* The kind of work of a verb: it moves data, or works on names. */
bool weir_verb_moves_data(enum weir_verb verb);
bool weir_verb_works_on_names(enum weir_verb verb);
bool weir_verb_writes(enum weir_verb verb); /* some of its transfers write */
bool weir_verb_reads(enum weir_verb verb);  /* some of its transfers read */
/* It makes files that are missing, and says what is in them; other verbs find files. */
bool weir_verb_makes_files(enum weir_verb verb);
bool weir_verb_removes(enum weir_verb verb);
/* It works on the items or directories of a tree. */
bool weir_verb_works_on_trees(enum weir_verb verb);
/* It may be done again on the same items of a tree, and finds and leaves them as they are. */
bool weir_verb_is_repeatable(enum weir_verb verb);
/* It makes items, or the directories of a tree. */
bool weir_verb_makes_items(enum weir_verb verb);

/* Work of a phase that moves data: at which places of its target, what, and what goes with it. */
struct weir_transfers {
    struct weir_layout layout;
    struct weir_payload payload;
    unsigned read_percent; /* mixed: this share of the transfers reads, 0 to 100 */
    /* mixed: each rank reads or writes alone (IOzone): the first ranks read, this share of them; or
     * so many if reader_count is given; or with `alternates` those with even numbers */
    bool mixes_by_rank;
    bool alternates;
    uint64_t reader_count;
    unsigned batch;          /* transfers that are waited for and handed over at once: 1 to depth */
    bool must_replace;       /* writes: remove an existing file first, outside of the timing */
    bool must_verify;        /* reads: compare what was read */
    bool ends_at_mismatch;   /* reads: a rank stops at its first wrong transfer */
    bool is_collective;      /* collective transfers */
    bool has_inner_barriers; /* barriers between opening, moving and closing */
    bool must_sync_at_end;   /* sync after a rank's last transfer, inside of the timing */
    /* Sync once the file is open, so that no transfer meets dirty pages of an earlier phase, and
     * once more after the transfers. Both are outside of the timing. Where the close is part of the
     * time (counts_close), the second one opens the file again. */
    bool must_sync_before;
    bool must_sync_after;
    bool must_sync_each;   /* writes: sync after every transfer */
    bool counts_close;     /* the time of a rank in weir_counted has its close in it */
    bool leaves_think_out; /* ... and not its pauses */
    /* not NULL, and the test asks: its transfers are logged with their offsets, appended to
     * <op_csv_prefix><rank>_<log_name>.dat, or <op_csv_prefix><log_name>.dat of rank 0 alone; ...
     */
    const char *log_name;
    const char *histogram_name; /* ... and a rank's latencies are told under this name */
    bool is_single_attempt;     /* a short transfer is an error, not continued */
};

/* Whether a rank reads, where mixes_by_rank; else it writes. */
bool weir_transfers_rank_reads(const struct weir_transfers *transfers, uint64_t rank,
                               uint64_t ranks);

#define WEIR_CYCLE_MAX 8

/* A working set that moves on (md-workbench): items are taken set by set in turn, the first item of
 * each set, then the second, and so on. Those of set s are those of the rank `stride` * (s + 1)
 * before this one; what a cycle creates lies `working_set` items further on, with the rank `stride`
 * * (s + 1) behind this one. All zero: none. */
struct weir_rotation {
    uint64_t count;       /* > 0: items of each set in this phase, ... */
    uint64_t first;       /* ... from this one on; ... */
    uint64_t advance;     /* ... so many further on in each round of the outermost loop */
    uint64_t working_set; /* items of each set that there are at any time */
    uint64_t stride;      /* ranks; 0: all items are this rank's own */
};
/* The ranks that run the commands around a phase. */
enum weir_command_ranks {
    WEIR_COMMAND_EACH_RANK,
    WEIR_COMMAND_EACH_NODE, /* the first rank of each node */
    WEIR_COMMAND_FIRST_RANK
};

#define WEIR_ITEM_BYTES_MAX (UINT64_C(1) << 30) /* moved by one operation, from one buffer */

/* Work of a phase that operates on names: those of its target, or of its target's trees. */
struct weir_names {
    bool only_if_clean;  /* removals: keep the files if verification failed */
    bool only_if_ending; /* removals: for a run that ends in this test, because it failed or was
                            interrupted; else a later test works on the files and removes them */
    /* of trees: */
    const char *item;     /* pattern of the items' names. NULL: the directories of the trees, which
                             MKDIR makes from the top on, and RMDIR removes from the deepest on */
    const char *new_item; /* RENAME, LINK, SYMLINK: pattern of the new names, in the same directory.
                             RENAME without: a chain, in which the first item gets a name of its
                             own, each further one the name of the one before it, and then the first
                             one that of the last: one rename more than items (mdtest -U) */
    bool is_directory;    /* items are directories, else files */
    /* one set of items for all ranks, whose pattern has no %r: all make and use them, rank 0
     * removes them (mdtest -S) */
    bool is_shared;
    bool by_first_rank; /* rank 0 does the work of all ranks (mdtest -c) */
    /* The items that a rank works on are those of the rank that the phase's shift names; the tree
     * in which these are is that of the rank that this one leads to from their owner. */
    struct weir_shift tree_shift;
    enum weir_order order; /* SEQUENTIAL or SHUFFLED */
    bool seed_is_given;
    uint64_t seed;
    uint64_t bytes; /* of a file: CREATE writes and READ_FILE reads so many; 0: none */
    struct weir_payload payload;
    bool must_verify;      /* READ_FILE */
    bool must_verify_made; /* CREATE: read back and compare before the close, not timed */
    bool must_sync;        /* CREATE: before the close */
    bool must_sync_all;    /* the file system, after the last operation, inside of the timing */
    bool is_exclusive;     /* CREATE: a file that is there is an error */
    const char *command_before; /* run by the shell before the start, ... */
    const char *command_after;  /* ... and after the last operation of all ranks, in the timing */
    enum weir_command_ranks command_ranks; /* ranks that run both */
    enum weir_verb cycle[WEIR_CYCLE_MAX];  /* CYCLE: for each item, in this order */
    unsigned cycle_count;
    /* not NULL: single operations are logged, in files that this is a part of the names of, if the
     * test asks for them */
    const char *log_name;
    struct weir_rotation rotation;
};

/* Bulk work that all ranks do together: what is common to all of it, and one kind of work. Its verb
 * says which kind (weir_verb_moves_data, weir_verb_works_on_names, or PROGRAM); the others are all
 * zero. */
struct weir_phase {
    unsigned number; /* position among the phases of the plan */
    /* 16 hexadecimal digits: hash of weir_plan_explain_case's text; "" before weir_plan_freeze */
    char case_id[17];
    enum weir_verb verb;
    bool is_check;   /* a read that only verifies: untimed in the dialect's report */
    bool is_prefill; /* a write that only fills the file before another one: untimed likewise */
    const struct weir_target *target;
    uint64_t rank_limit;     /* only the first ranks of the test take part, as the steps around the
                                phase say; 0: all. Set by weir_plan_freeze */
    struct weir_shift shift; /* whose part of the target a rank works on */
    struct weir_stop stop;
    struct weir_rate rate;
    uint64_t stagger_ns;  /* rank r begins to transfer so long times r after the start */
    uint64_t think_ns;    /* pause after each operation, ... */
    uint64_t think_ppm;   /* ... and of items, each verb: millionths of the time that it took */
    unsigned depth;       /* operations in flight per rank, 1 to WEIR_PLAN_DEPTH_MAX */
    bool must_find_depth; /* the least depth that does nearly as well as any up to `depth` */
    /* Its files stay open for the next phase of the same body, sleeps and barriers apart, which
     * moves data in them in the same layout and without a shift (weir_plan_check). The file is
     * opened in the first phase of such a row and closed in the last. */
    bool leaves_open;
    struct weir_transfers transfers;
    struct weir_names names;
    /* PROGRAM, else NULL. The target has one path, the first directory that the program works in,
     * which tells what storage it is; depth is 1. */
    const struct weir_program *program;
};

/* Ranks first, first + stride, first + 2 stride, ... of a group: `count` of them, or as many as the
 * group has. */
struct weir_rank_set {
    uint64_t first;
    uint64_t count;  /* > 0 */
    uint64_t stride; /* > 0 */
};

bool weir_rank_set_has(const struct weir_rank_set *set, uint64_t rank);

/* REPEAT and UNTIL are loops, and the round of each loop around a step is an index in the results.
 * After an interruption or a failure every loop ends with the round that it is in, of which only
 * the removals are still done.
 *
 * ON_RANKS: the ranks of the set, counted in the group around the step, are a group of their own
 * while they do the body: it has the size of the set and new rank numbers from 0 on in the same
 * order, and all that the ranks of a group do together (barriers, sums, the start of a phase, one
 * shared file) is done by these alone. The other ranks skip the body and wait at its end, where all
 * ranks learn of failures and interruptions in it; a signal to a rank that waits counts from there
 * on. If the group has none of the ranks of the set, the body is skipped. A phase in the body must
 * be on the first ranks of the test (first 0, stride 1), so that a rank has the same number, files
 * and node leader as outside; TIMED must be on rank 0, which holds the result. weir_plan_check
 * refuses what is not so. */
enum weir_step_kind {
    WEIR_STEP_REPEAT,   /* the body `count` times */
    WEIR_STEP_UNTIL,    /* the body again and again: no round begins after `until_ns`. The clock of
                           the group's rank 0 decides for all; the first round is always done */
    WEIR_STEP_ON_RANKS, /* the body on the ranks of a set */
    WEIR_STEP_TIMED,    /* the body, whose time from its first start on a rank to its last end on a
                           rank is a result of its own; the ranks meet behind it */
    WEIR_STEP_BARRIER,  /* no rank goes on before all are there */
    WEIR_STEP_SLEEP,    /* `sleep_ns` */
    WEIR_STEP_COMMAND,  /* rank 0, or the first rank of each node, has the shell run `command`; all
                           wait for its end. A command that fails is an error */
    WEIR_STEP_PHASE
};

/* A node of the tree: steps follow one another along `next`. */
struct weir_step {
    enum weir_step_kind kind;
    struct weir_step *next;
    struct weir_step *body;     /* REPEAT, UNTIL, ON_RANKS, TIMED; else NULL */
    uint64_t count;             /* REPEAT */
    uint64_t until_ns;          /* UNTIL */
    uint64_t sleep_ns;          /* SLEEP */
    struct weir_rank_set ranks; /* ON_RANKS */
    unsigned number;            /* ON_RANKS: position among those of the test */
    const char *label;          /* TIMED */
    const char *command;        /* COMMAND */
    bool is_per_node;           /* COMMAND */
    struct weir_phase *phase;   /* PHASE */
};

/* Whether steps of this kind stand around others. */
bool weir_step_has_body(enum weir_step_kind kind);

/* A word of the dialect that the plan does not use but the dialect's report repeats. */
struct weir_setting {
    const char *key;
    const char *value; /* as the user would write it */
};

/* Memory that is taken away from the page cache for the length of a test. All zero: none. At most
 * one of the three is given. */
struct weir_memory_hog {
    uint64_t bytes_per_rank;
    uint64_t bytes_per_node;  /* split among the ranks of each node */
    unsigned percent_of_node; /* of the memory of each node, split likewise */
};

/* Caches that are dropped before each phase that reads data. */
enum weir_cache_drop {
    WEIR_DROP_NOTHING,
    WEIR_DROP_FILES, /* the files of the phase, from the page caches of all nodes */
    /* the whole page cache of each node; before each phase on a tree that looks for what is there,
     * also what the node remembers of names and attributes */
    WEIR_DROP_NODE
};

/* The default timeout of the watchdog. */
#define WEIR_PLAN_WATCHDOG_NS UINT64_C(60000000000)

/* Steps that run against one backend with one set of ranks. */
struct weir_test {
    unsigned number;
    unsigned sweep_step; /* of plan->sweep, whose first axis varies slowest; one step may be several
                            tests */
    const char *dialect; /* whose words its options are: "ior" */
    const struct weir_descriptor *backend;
    const void *backend_options;         /* values of backend->options; NULL before
                                            weir_plan_freeze: their defaults */
    const struct weir_descriptor *inner; /* of a wrapping backend ("fault:posix"), else NULL */
    const void *inner_options;
    const char *label;   /* how the report names the backend: "POSIX" */
    uint64_t rank_limit; /* use only the first ranks; 0: all */
    uint64_t node_limit; /* of these only those on the first nodes, which the run must have; ... */
    uint64_t ranks_per_node_limit; /* ... and of each node only the first ones, likewise; 0: all */
    uint64_t time_limit_ns;        /* start no further data phase later than this; 0: none */
    uint64_t repetitions;
    /* --until-interval: from the repetition `least_repetitions` on, the outermost loop ends once
     * the 95 % interval of the median of each timed phase is within so many millionths; 0 = it does
     * not
     */
    uint64_t interval_ppm;
    uint64_t least_repetitions;
    uint64_t repeat_limit_ns; /* ... or once it has lasted this long */
    uint64_t outlier_ns;      /* warn of ranks further than this from the mean; 0: never */
    bool is_compared;         /* reports hold its rates against those of the test before it */
    /* not NULL: the test measures one of several storage targets that should be alike, alone, and
     * this is its name; further tests of this name repeat it: the audit holds the rates of each
     * name against those of the others */
    const char *peer;
    bool must_keep;            /* files stay after the test */
    bool may_overwrite;        /* files that are not ours may be overwritten or removed */
    bool must_fit;             /* refused if the files do not fit on the storage, not only told */
    bool may_take_used_device; /* devices that are mounted or carry a file system may be written */
    bool goes_on_after_errors; /* those that fail are counted; else the first one ends the test */
    uint64_t watchdog_ns;      /* tell of ranks that have not moved for so long; 0: never */
    uint64_t give_up_ns;       /* end the run if it lasts so long; 0: never */
    bool is_dry_run;
    int64_t reference; /* the user's own number, repeated in reports */
    struct weir_memory_hog hog;
    struct weir_pinning pinning;
    struct weir_membind membind; /* of transfer buffers */
    bool wants_huge_pages;       /* for transfer buffers */
    enum weir_cache_drop cache_drop;
    enum weir_measure measure;     /* --measure */
    const char *allowed;           /* names of findings without effect, separated by commas; NULL */
    uint64_t given_nodes;          /* count as this many nodes; 0: as they are */
    uint64_t given_ranks_per_node; /* likewise on the node of rank 0; 0: as they are */
    const char *rank_csv_path;     /* figures of each rank go there; NULL: nowhere */
    const char *op_csv_prefix;     /* figures of each transfer go to files of these names; NULL */
    const char *rank_histogram_prefix; /* latencies of each rank and phase go to files; NULL */
    /* One per rank, with a slash at the end: of these two kinds of files; NULL = working directory
     */
    const char *const *side_directories;
    bool op_csv_is_of_first;    /* operations of rank 0 alone; names of files have no rank */
    bool op_csv_is_of_all;      /* one file with the operations of all ranks, written by rank 0 */
    bool tells_ranks;           /* quantiles of single ranks are gathered, for reports of them */
    const char *const *remarks; /* what the front end changed or ignored: whole sentences */
    size_t remark_count;
    const struct weir_setting *settings;
    size_t setting_count;
    struct weir_step *steps;
    unsigned rank_set_count;    /* ON_RANKS steps */
    struct weir_phase **phases; /* in the order of the tree */
    size_t phase_count;
};

/* Reporters of figures as data, which every dialect has. */
#define WEIR_REPORTER_CSV "weir csv"
#define WEIR_REPORTER_JSON "weir json"
#define WEIR_REPORTER_INFLUX "influx"
#define WEIR_REPORTER_METRICS "openmetrics"

/* Where results go and how much is said. */
struct weir_output {
    const char *reporter; /* its name: "ior"; that of the first dialect unless a front end asks */
    const char *style;    /* whose layout it imitates, in words that only its dialect reads ("IOR
                             3.3"); NULL: the newest */
    const char *summary_path;     /* results go there; NULL: standard output */
    const char *result_path;      /* JSON lines, one per phase; NULL: none */
    const char *position_path;    /* a run that is done says there where a working set that moves on
                                     lies then; NULL: nowhere */
    uint64_t position;            /* its first item */
    const char *position_option;  /* of errors: the option that names position_path */
    bool is_plain;                /* leave our own block out */
    bool is_apart;                /* our own block goes to standard error, where no parser looks */
    bool must_resume;             /* steps that are finished in the result file are kept */
    bool warnings_are_errors;     /* findings of severity warning make the exit code 1 */
    bool is_strict;               /* as do findings that void a figure */
    const char *expect;           /* conditions on figures (weir/report/expect.h); NULL: none */
    bool allows_unverified;       /* figures that are UNVERIFIED may fulfil them */
    const char *label;            /* of the user for the run; NULL: none */
    const struct weir_fact *tags; /* likewise, by key */
    size_t tag_count;
    bool has_details; /* the tables behind the verdict are printed; as from verbosity 1 on */
    int verbosity;
    uint64_t progress_ns; /* between lines that say how far the run is, or WEIR_PROGRESS_... */
    struct weir_live_request live;
};

/* The source of a plan, for readers of the result file; it is never parsed again. */
struct weir_plan_source {
    const char *const *words; /* argv */
    size_t word_count;
    const char *script; /* text of the script that a word names; NULL: none, or not kept */
};

/* Which process of the launcher is which rank of all tests. */
enum weir_rank_order_kind {
    WEIR_RANKS_AS_LAUNCHED,
    WEIR_RANKS_ROUND_ROBIN, /* one of each node in turn, nodes in the order of their first ranks */
    WEIR_RANKS_PACKED,      /* all of the first node, then those of the next */
    WEIR_RANKS_LISTED       /* rank i is a process on host `hosts[i]`; those that the list does not
                               name come last; a rank_limit leaves them out */
};

struct weir_rank_order {
    enum weir_rank_order_kind kind;
    const char *const *hosts; /* LISTED: short or long names; a host as often as it is named */
    size_t host_count;
};

/* One command line again and again, with one or two of its words changed. */
struct weir_sweep_axis {
    const char *name;          /* "ranks", "transfer", "depth", "nodes", "backend", "order" */
    const char *const *values; /* as typed or expanded: "1", "2", "4" */
    unsigned count;
};

struct weir_sweep {
    struct weir_sweep_axis axes[2];
    unsigned axis_count;     /* 0: no sweep */
    uint64_t total_bytes;    /* split among the ranks of each step; 0: as the words say */
    uint64_t total_items;    /* the same of files and directories */
    double read_limit_per_s; /* what the user knows to be possible, bytes/s; 0: not given */
    double write_limit_per_s;
};

struct weir_plan {
    struct weir_arena arena;  /* owns all of the plan */
    const char *dialect;      /* that of the command line: "ior" */
    const char *command_line; /* words joined by blanks, for reports */
    struct weir_plan_source source;
    struct weir_output output;
    struct weir_rank_order rank_order;
    struct weir_sweep sweep;
    uint64_t rank_need; /* fewer ranks are refused before the first test; 0: any will do */
    struct weir_test **tests;
    size_t test_count;
    unsigned phase_count;
    bool has_stop_before;    /* end in order this long before the batch system ends the job */
    uint64_t stop_before_ns; /* if so */
    char id[17];             /* 16 hexadecimal digits: hash of weir_plan_explain_work's text */
};

/* ---- building: used by front ends only ---- */

/* An empty plan. `words` (the command line; may be NULL if there are none) are copied. */
struct weir_plan *weir_plan_open(const char *dialect, int word_count, const char *const words[]);

/* Puts a word among the plan's words, at `index` (<= word_count). The command line, which reports
 * repeat, stays as it is. */
void weir_plan_insert_word(struct weir_plan *plan, size_t index, const char *word);

/* NULL is allowed. */
void weir_plan_close(struct weir_plan *plan);

/* The first test of the plan, or one more; it has one repetition, and everything else is zero. */
struct weir_test *weir_plan_add_test(struct weir_plan *plan);

/* Appends a step to `*steps` (a test's list, or the body of a step). */
struct weir_step *weir_plan_add_repeat(struct weir_plan *plan, struct weir_step **steps,
                                       uint64_t count);
struct weir_step *weir_plan_add_until(struct weir_plan *plan, struct weir_step **steps,
                                      uint64_t until_ns);
struct weir_step *weir_plan_add_on_ranks(struct weir_plan *plan, struct weir_test *test,
                                         struct weir_step **steps,
                                         const struct weir_rank_set *ranks);
struct weir_step *weir_plan_add_timed(struct weir_plan *plan, struct weir_step **steps,
                                      const char *label);
void weir_plan_add_barrier(struct weir_plan *plan, struct weir_step **steps);
void weir_plan_add_sleep(struct weir_plan *plan, struct weir_step **steps, uint64_t sleep_ns);
void weir_plan_add_command(struct weir_plan *plan, struct weir_step **steps, const char *command,
                           bool is_per_node);

/* Appends a copy of `phase` and numbers it; it is also listed in test->phases. */
struct weir_phase *weir_plan_add_phase(struct weir_plan *plan, struct weir_test *test,
                                       struct weir_step **steps, const struct weir_phase *phase);

/* Notes what a front end changed or ignored. */
void weir_plan_add_remark(struct weir_plan *plan, struct weir_test *test, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if a test before `test` has its remark number `remark` too: reports print it once. */
bool weir_plan_repeats_remark(const struct weir_plan *plan, const struct weir_test *test,
                              size_t remark);

/* Tells each phase its ranks and each test the defaults of its backend, checks the plan (see
 * weir_plan_check) and gives it its id. 0, or a usage error. */
int weir_plan_freeze(struct weir_plan *plan, struct weir_error *error);

/* ---- reading ---- */

/* Semantic rules that hold for every dialect, and what the backends can do. 0, or a usage error. */
int weir_plan_check(const struct weir_plan *plan, struct weir_error *error);

/* The part of weir_plan_check that is about output alone. 0, or a usage error at `place`. */
int weir_output_check(const struct weir_output *output, const char *place,
                      struct weir_error *error);

/* The plan as stable text, the same for the same work on every machine, however it was typed: what
 * is not said has its default, and words that only reports repeat are left out. `_work`: so are
 * output and what may end a run early (--stop-before, --watchdog, --give-up). */
void weir_plan_explain(const struct weir_plan *plan, struct weir_text *text);
void weir_plan_explain_work(const struct weir_plan *plan, struct weir_text *text);

/* All that the plan says of a phase, but for names of targets and other files, ranks and nodes: the
 * same for phases that do the same work on other storage or with other ranks. Phases of a test that
 * have equal texts otherwise are numbered. */
void weir_plan_explain_case(const struct weir_test *test, const struct weir_phase *phase,
                            struct weir_text *text);
/* The hash of that text as 16 hexadecimal digits. */
void weir_plan_case_id(const struct weir_test *test, const struct weir_phase *phase, char id[17]);

/* The phase with this number in the test with that number; NULL if the plan has no such phase. */
const struct weir_phase *weir_plan_find_phase(const struct weir_plan *plan, unsigned test,
                                              unsigned phase);

/* Steps around the innermost step of the test, at most WEIR_PLAN_NESTING_MAX + 1. */
unsigned weir_test_nesting(const struct weir_test *test);

/* Value of a setting of the test, or NULL. */
const char *weir_test_setting(const struct weir_test *test, const char *key);

/* Abilities of the test's backend (enum weir_ability); of a wrapping backend, those of the
 * wrapped one. */
unsigned weir_test_abilities(const struct weir_test *test);

/* Values of the options of the test's backend; of a wrapping backend, those of the wrapped one. */
const void *weir_test_options(const struct weir_test *test);

/* What is dropped before this phase of the test. */
enum weir_cache_drop weir_phase_cache_drop(const struct weir_test *test,
                                           const struct weir_phase *phase);

/* Items, or directories of trees, that each rank works on in a phase on trees, if they are its
 * own. */
uint64_t weir_phase_items(const struct weir_phase *phase);

/* Bytes that an operation of the phase moves: those of one transfer, or of all that a phase on
 * items does with one of them. */
uint64_t weir_phase_op_bytes(const struct weir_phase *phase);

/* The phase whose trials find the depth of `phase`, which is to be found: its own where they can be
 * repeated or undone, else the first such phase before it, on items of the same kind if there is
 * one. NULL: none. */
const struct weir_phase *weir_test_tried_phase(const struct weir_test *test,
                                               const struct weir_phase *phase);

/* First phase of the test with this verb that is neither a check nor a prefill; NULL if there is
 * none. */
const struct weir_phase *weir_test_phase(const struct weir_test *test, enum weir_verb verb);

#endif
