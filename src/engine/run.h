/* SPDX-License-Identifier: Apache-2.0 */
/* What is happening now: the state of one rank while a plan runs. Private to the engine. */
#ifndef WEIR_ENGINE_RUN_H
#define WEIR_ENGINE_RUN_H

#include "depth_search.h"
#include "hog.h"
#include "weir/engine/engine.h"
#include "weir/io/buffers.h"
#include "weir/io/queue.h"
#include "weir/payload/payload.h"
#include "weir/surroundings/surroundings.h"
#include "weir/system/environment.h"

struct weir_servers;
struct weir_mark;
struct weir_step_stack;

/* Files that were there before the test, among those that it writes. */
struct weir_existing {
    uint64_t count;
    char path[WEIR_PATH_BYTES]; /* the first of them */
};

/* Files that the test may write into and remove: see claim.h. */
struct weir_claims {
    struct weir_file_id *ids;
    size_t count;
    size_t room;
};

/* How this rank sees the directory of a shared file, compared with rank 0. */
struct weir_view {
    bool has_same_numbers; /* files have the same inodes here */
    uint64_t device;       /* the number of the file system here */
};

/* What the latest write phase left, so that reads of the same run know what to expect. */
struct weir_written {
    const struct weir_target *target; /* NULL: nothing written yet */
    uint64_t repetition;
    struct weir_identity identity;
    uint64_t *ops_of_rank; /* transfers each rank made, if not all made all; else NULL */
};

/* Items of a kind, files or directories, that this run has made in trees. */
struct weir_made {
    const struct weir_target *target; /* NULL: none yet */
    uint64_t repetition;
    const char *item;      /* pattern of their names */
    uint64_t *ops_of_rank; /* items each rank made, if not all made all; else NULL */
    bool by_first_rank;    /* those of all owners, one owner after the other */
    /* Shared items: each rank has an order of its own, and `ops_of_rank` is the most on all. */
    bool is_shared;
    bool is_shuffled;
    uint64_t seed;  /* if so, and ... */
    uint64_t count; /* ... of how many they are the first */
};

/* Names in the places of items that are not this test's, as hashes of their paths: it neither
 * writes nor removes them. */
struct weir_strangers {
    uint64_t *hashes; /* of all ranks: sorted */
    size_t count;
    size_t room;
};

/* Rank 0: what was made for the roots of trees, and not yet removed. */
struct weir_tree_roots {
    const struct weir_target *target; /* NULL: nothing yet */
    unsigned *made;                   /* of each root: how many directories of its path */
};

/* How far a working set lies behind where the plan has it, as phases were cut by a deadline. */
struct weir_lag {
    const struct weir_target *target; /* NULL: none does */
    uint64_t items;                   /* of each set; the same on all ranks */
};

/* Items of each set of a working set that moves on of which files may be there: the same on all
 * ranks. It is widened before a phase that makes items, and narrowed after one that did all. */
struct weir_reach {
    const struct weir_target *target; /* NULL: none */
    uint64_t first;
    uint64_t end;
    bool is_ragged;  /* some of them are missing, as a phase was cut or an operation failed */
    bool is_earlier; /* noted in the mark of an earlier run, and nothing done about it yet */
    /* some may still be those of the earlier run, and are judged before they are removed */
    bool has_earlier;
};

/* The depth of one phase, as it was found before its first repetition; 0: not yet. */
struct weir_depth_choice {
    unsigned depth;
    struct weir_depth_table table; /* empty if no depth was searched for */
    struct weir_depth_curve kept;  /* rank 0: the same in the arena of the result */
};

/* What gathering a phase needs: see gather_tally.h. */
struct weir_gather_memory {
    uint64_t *words;
    struct weir_rank_row *rows; /* rank 0: of all ranks */
    /* likewise, if the test tells single ranks; with those of the phase before */
    struct weir_rank_times *times;
    struct weir_rank_row *earlier_rows;
    struct weir_rank_times *earlier_times;
    const char **hosts;                  /* likewise: names, borrowed from the group */
    struct weir_visit *visits;           /* likewise: the slowest directories of each rank */
    uint8_t *levels;                     /* likewise: cells of rank_series */
    struct weir_rank_series rank_series; /* rank 0: of this phase */
};

struct weir_run {
    const struct weir_engine_params *params;
    struct weir_result *result;           /* rank 0 only */
    struct weir_test_result *test_result; /* rank 0 only */

    const struct weir_test *test;
    struct weir_group *group;               /* the ranks of the test, or of the present step */
    struct weir_group *self;                /* this rank alone, for files of its own */
    struct weir_placement placement;        /* as the user says, or as it is */
    struct weir_surroundings *surroundings; /* of all tests */
    const struct weir_servers *servers;     /* likewise */
    uint64_t *package_of_rank; /* processor packages, if the names of files say them; else NULL */
    struct weir_hog hog;
    struct weir_watchdog *watchdog; /* NULL: none */
    struct weir_claims claims;
    struct weir_mark *marks; /* rank 0 only */
    size_t mark_count;
    struct weir_view view;
    struct weir_sight sight;           /* of this rank's file or tree, as the first phase left it */
    const struct weir_target *sighted; /* target of the sight; NULL = none yet */
    struct weir_existing existing;     /* of this rank; after preparation, on rank 0, of all */
    char no_room[512];                 /* rank 0: why the files will not fit; "" if they do */
    const struct weir_backend *backend;
    struct weir_session *session;
    struct weir_text notes;          /* what the backend tells of the files of the present phase */
    struct weir_alignment alignment; /* what the targets demand */
    struct weir_queue queue;
    struct weir_buffers buffers;
    uint64_t buffer_alignment; /* for which they were opened */
    bool must_keep_session;    /* with queue and buffers, for the next test */
    bool is_memory_lent;       /* to the session */
    struct weir_tally *tally;  /* of the present phase; once it is gathered, of all ranks */
    struct weir_gather_memory gather;

    uint64_t order_seed; /* of random orders, mixes and arrivals, if the plan gives none */
    uint32_t data_seed;  /* of payloads, if the plan gives none */
    struct weir_filler filler;
    uint64_t last_generation;
    struct weir_written written;
    struct weir_made made[3]; /* files, directories, and second names of either */
    struct weir_lag lag;
    uint64_t second_count; /* of directories, until the status file is written; 0 = none */
    struct weir_reach reach;
    struct weir_made checked_tree;   /* in which no directory was a link */
    struct weir_strangers strangers; /* met by any rank; the same on all ranks */
    struct weir_made missing_tree;   /* that could not be made, ... */
    bool is_tree_of_others;          /* ... as another run works on it, or it is another user's */
    struct weir_tree_roots tree_roots;
    struct weir_file *open_file;      /* left open by the phase before; NULL: none */
    struct weir_depth_choice *depths; /* by the position of the phase in the test */
    /* A removal that this or an earlier test left out, as the run did not end in it; NULL if there
     * is none, or a later phase has removed the same files. */
    const struct weir_phase *pending_removal;
    const struct weir_test *pending_test; /* the test of that phase */

    uint64_t repetition;           /* round of the outermost loop; 0 without loops */
    struct weir_step_stack *steps; /* see steps.h */
    uint64_t *loops; /* rounds of all loops around the present step, outermost first */
    unsigned loop_count;
    unsigned trial_depth;      /* of a search for a depth: the one that is tried; else 0 */
    uint64_t started_ns;       /* when the test began, on this node's clock */
    bool is_ending;            /* only removals from now on; the same on all ranks */
    bool is_interrupted;       /* by a signal, seen by any rank; the same on all ranks */
    bool has_failed;           /* an operation of some rank failed; the same on all ranks */
    bool is_cut;               /* a signal ended the present phase on this rank */
    bool is_called_off;        /* an alarm ended it on this rank */
    bool has_wall;             /* ... and for the stonewall of the first that is done */
    bool is_outside;           /* waits for ranks that do a step without this one */
    bool has_alarm;            /* in the present phase: ranks look for alarms, and may raise one */
    bool has_made_directory;   /* of its own file, and not yet removed it */
    bool has_incomplete_rank;  /* some rank did not do all of the latest phase; the same on all */
    bool is_dirty;             /* verification failed in this repetition; the same on all ranks */
    struct weir_error failure; /* this rank's first failure in the present phase */
    /* this rank's error since ranks last agreed, in what was told of a phase: they agree on it
     * before the next one starts, or when the test ends */
    struct weir_error late_error;
};

/* What is done also when the test ends, whatever fails: removals, and renames that give names back
 * which an earlier phase has taken. */
bool weir_run_must_do(const struct weir_run *run, const struct weir_phase *phase);

/* The number of the file that a rank uses, and its path in the present repetition. */
uint64_t weir_run_file_number(const struct weir_target *target, uint64_t owner);
int weir_run_path(const struct weir_run *run, const struct weir_target *target, uint64_t owner,
                  char path[WEIR_PATH_BYTES]);

/* The test's data lie in files or devices of its nodes: not where the backend has no names, or
 * keeps them in the memory of servers, whatever -o says. */
bool weir_run_has_storage(const struct weir_run *run);

/* The rank whose part this rank takes in the present repetition. */
uint64_t weir_run_owner(const struct weir_run *run, const struct weir_phase *phase);

/* How the ranks of run->group are placed: as the user says, or as they are. */
struct weir_placement weir_run_placement(const struct weir_run *run);

/* Sets run->placement, and run->package_of_rank where names ask for it. 0 or -errno. Collective. */
int weir_run_place(struct weir_run *run);

/* The group that opens a file of the target together. */
struct weir_group *weir_run_file_group(const struct weir_run *run,
                                       const struct weir_target *target);

/* True on rank 0 for shared targets, on every rank for own files: who handles the name. */
bool weir_run_handles_name(const struct weir_run *run, const struct weir_target *target);

/* Notes this rank's first failure: "<backend>: <what> <path>: <reason>", and in brackets what the
 * backend has to say of it; in a phase with an alarm, the other ranks hear of it if errors are to
 * stop the test. Returns `code`. */
int weir_run_fail(struct weir_run *run, int code, const char *what, const char *path);
/* Sets run->sight to what the path of a target leads to, once for each target in turn. */
void weir_run_take_sight(struct weir_run *run, const struct weir_target *target, const char *path);

/* What the error of an operation on a file means: as strerror(3), and for what only we return. */
const char *weir_run_reason(int code);
/* The same with a reason that the error number does not say. */
int weir_run_fail_for(struct weir_run *run, int code, const char *what, const char *path,
                      const char *reason);

/* Whether this rank of the test is one of those that do the phase. */
static inline bool weir_run_takes_part(const struct weir_run *run, const struct weir_phase *phase)
{
    return phase->rank_limit == 0 || (uint64_t)run->group->rank < phase->rank_limit;
}

/* Adds the peer that a failure of the session concerned, in brackets: " (server 1 at n2:7471 does
 * not answer)"; nothing if there is nothing to say. */
void weir_run_explain(const struct weir_run *run, struct weir_text *text);

/* From the one to the other, the alarm of a rank that fails, or is told to end, reaches all that
 * move or wait. Ranks wait for one another in the second. 0 or -errno. Collective. */
void weir_run_arm(struct weir_run *run);
int weir_run_disarm(struct weir_run *run);

/* Calls the other ranks off, if the phase has an alarm. */
void weir_run_call_off(struct weir_run *run);

/* Calls of the backend on names, outside of what is timed: the watchdog reports them if they hang.
 * 0 or -errno. */
int weir_run_stat(const struct weir_run *run, const char *path, struct weir_name_facts *facts);
int weir_run_mkdir(const struct weir_run *run, const char *path);
int weir_run_rmdir(const struct weir_run *run, const char *path);
int weir_run_unlink(const struct weir_run *run, const char *path);

/* Polls for an alarm of the ranks of the present step, and returns whether there is one; and for
 * one of ranks that sit the step or the test out, which raise it where they receive a signal. This
 * rank then must stop as if it had received the signal. */
bool weir_run_hears_call_off(struct weir_run *run);

/* True once a signal asks this rank to end. */
static inline bool weir_run_must_stop(const struct weir_run *run)
{
    return *run->params->stop_signal != 0;
}

/* Time on this node's clock. */
static inline uint64_t weir_run_now(const struct weir_run *run)
{
    return weir_clock_ns(run->params->clock);
}

/* True if the latest write of this run made what a read of the target finds now. */
bool weir_run_has_written(const struct weir_run *run, const struct weir_target *target);

/* True if this rank reports progress to the observer. */
bool weir_run_reports_progress(const struct weir_run *run);

/* Reports to the observer that a phase begins, a trial of its depth (run->trial_depth), or a sleep
 * (NULL) of `sleep_ns`. */
void weir_run_report_beginning(const struct weir_run *run, const struct weir_phase *phase,
                               uint64_t sleep_ns);

/* A copy of run->loops in the result's arena; NULL without loops. Rank 0. */
const uint64_t *weir_run_keep_loops(const struct weir_run *run);

/* What operations of the phase are timed, and how: the same on all ranks. */
struct weir_tally_parts weir_run_tally_parts(const struct weir_run *run,
                                             const struct weir_phase *phase);

/* One value that rank 0 chooses for all. */
int weir_run_share(struct weir_run *run, uint64_t *value);

/* For transfer buffers: because the user says so, or the backend. */
bool weir_run_wants_huge_pages(const struct weir_run *run);

/* The values of all ranks, on all of them: *all is to be freed. 0 or -errno. Collective. */
int weir_run_collect(struct weir_run *run, uint64_t mine, uint64_t **all);

#endif
