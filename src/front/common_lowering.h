/* SPDX-License-Identifier: Apache-2.0 */
/* The part of lowering that all dialects share: what becomes of the options that each of them has,
 * and how a backend is found. */
#ifndef WEIR_FRONT_COMMON_LOWERING_H
#define WEIR_FRONT_COMMON_LOWERING_H

#include "request.h"
#include "weir/plan/plan.h"

#include <string.h>

/* How much is asked of the storage at once. */
struct weir_load {
    unsigned depth;        /* of timed phases */
    bool must_find_depth;  /* up to `depth` */
    unsigned steady_depth; /* of all others: nothing is searched there */
    struct weir_rate rate; /* of timed phases */
};

/* One test of a request on its way to the plan. */
struct weir_lowering {
    struct weir_plan *plan;
    struct weir_test *test;
    const struct weir_front_request *request;
    const char *place;
    struct weir_error *error;
    const struct weir_descriptor *loop; /* the backend that does the work, if it is no dry run */
    struct weir_load load;
    bool can_repeat; /* the test is one loop of repetitions, of which any number is whole */
    const char
        *users; /* of the backend, in remarks: "tests 6 and 7 use"; NULL = "this test uses" */
};

#define WEIR_REFUSE(lowering, ...)                                                                 \
    weir_error_usage((lowering)->error, (lowering)->place, __VA_ARGS__)
#define WEIR_REMARK(lowering, ...)                                                                 \
    weir_plan_add_remark((lowering)->plan, (lowering)->test, __VA_ARGS__)

/* What a test works on, which decides which options of a backend have something to do. */
enum weir_work {
    WEIR_WORK_FILES = 1 << 0,
    WEIR_WORK_TREES = 1 << 1,
    WEIR_WORK_OBJECTS = 1 << 2, /* items of trees that are never synced */
    WEIR_WORK_CALLS = 1 << 3,   /* those of a program */
};

/* The argument of -a and the options of backends: fills in the test's backend and `loop`. 0, or a
 * usage error. */
int weir_lower_backend(struct weir_lowering *lowering, const char *api, enum weir_work work);

/* Sets an option of the backends that have it, because the dialect's `option` asks for it, which
 * messages then name. 0, or a usage error. */
int weir_lower_backend_option(struct weir_lowering *lowering, const char *row, const char *value,
                              const char *option);

/* The options of the dialect's table `set` among `names` (NULL ends them) that the user typed with
 * other values than the default, in the user's spelling and with commas between them; "" = none. */
const char *weir_lower_given(const struct weir_lowering *lowering,
                             const struct weir_option_set *set, const void *values,
                             const char *const names[]);

/* The end of a remark on such a list. */
#define WEIR_IDLE(given)                                                                           \
    (strchr((given), ',') != NULL ? "they change nothing" : "it changes nothing")

/* The test keeps its label and runs against nothing. 0, or a usage error. */
int weir_lower_dry_run(const struct weir_lowering *lowering);

/* --depth and --rate: fills in `load`; `standard_depth` if nothing is said. 0, or a usage error. */
int weir_lower_load(struct weir_lowering *lowering, unsigned standard_depth);

/* Places of tasks and of their buffers, the state of the page cache, and the time to end: what has
 * nothing to do with phases. The steps must be known. 0, or a usage error. */
int weir_lower_place(const struct weir_lowering *lowering);

/* --overwrite, --must-fit and --on-error. */
void weir_lower_limits(const struct weir_lowering *lowering);

/* The one path of a target, in which @ is a character like any other. */
void weir_lower_path(const struct weir_lowering *lowering, const char *path,
                     struct weir_target *target);

/* Paths of a target: a list with @ between them, the value of `option`, in which @@ is an @ of a
 * name. An @ before the first or after the last name says nothing, as in IOR. 0, or a usage error.
 */
int weir_lower_paths(const struct weir_lowering *lowering, const char *option, const char *list,
                     struct weir_target *target);

/* Data: --data, or what the pattern says, a word that begins with o, i, t or r. The seed is not
 * given if it is `no_seed`. */
struct weir_payload weir_lower_payload(const struct weir_front_request *request,
                                       const char *pattern, int64_t seed, int64_t no_seed);

/* Data that are to be verified. */
struct weir_verification {
    const char *option; /* that asks for it: "-X" */
    const struct weir_payload *payload;
    uint64_t bytes;    /* of a piece that is read at once */
    const char *maker; /* the option by which the run would write them itself; NULL: it does */
};

/* Refuses data without content, and those of another run that do not tell a seed that is not given.
 * 0, or a usage error at `place`. */
int weir_lower_verification(const struct weir_verification *verification, const char *place,
                            struct weir_error *error);

/* Refuses backends that have no names. 0, or a usage error. */
int weir_lower_names(const struct weir_lowering *lowering);

/* Counts the nodes and ranks per node that IOR_FAKE_NODES and IOR_FAKE_TASK_PER_NODES name in place
 * of those that there are, with a remark in IOR's words. 0, or a usage error. */
int weir_lower_fake_nodes(const struct weir_lowering *lowering);

/* Notes the values of a table's rows as settings of the test, but for the row named `but` (NULL:
 * none), and of the backends' options those that were given. */
void weir_lower_settings(const struct weir_lowering *lowering, const struct weir_option_set *set,
                         const void *values, const char *but);

/* Whether the tables behind the verdict are asked for: by an option, or by WEIR_DETAILS=1. */
bool weir_wants_details(int64_t is_set);

/* The reporter of --summaryFormat: "JSON", "CSV", or what the dialect usually prints. */
const char *weir_lower_reporter(const char *format, const char *usual);

/* --result, --label, --set, --plain and --progress. 0, or a usage error. */
int weir_lower_output(struct weir_output *output, const struct weir_front_request *request,
                      struct weir_error *error);

#endif
