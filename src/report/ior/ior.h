/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect ior in reports, and its reporters. */
#ifndef WEIR_REPORT_IOR_IOR_H
#define WEIR_REPORT_IOR_IOR_H

#include "dialect.h"

extern const struct weir_rank_csv_format weir_ior_rank_csv;

extern const struct weir_reporter weir_reporter_ior;

extern const struct weir_reporter weir_reporter_ior_json;

/* How the start of a phase is printed. */
enum weir_commencing {
    WEIR_COMMENCING_NOWHERE, /* 3.0 prints it on its standard error only */
    WEIR_COMMENCING_BLOCK,   /* words, date, and an empty line before them */
    WEIR_COMMENCING_LINE
};

/* Newest first. */
enum weir_ior_release {
    WEIR_IOR_4_1,
    WEIR_IOR_4_0,
    WEIR_IOR_3_3,
    WEIR_IOR_3_2,
    WEIR_IOR_3_0,
    WEIR_IOR_2_10
};

struct weir_ior_layout {
    enum weir_ior_release release;
    const char *name;       /* as output.style says it: "IOR 3.3" */
    unsigned table_columns; /* of the table of phases; 0: there is none */
    bool has_stonewall;     /* the summary's columns of the stonewall */
    bool has_nodes;         /* in the options: the number of nodes, ... */
    bool has_buffers;       /* ... where buffers are, ... */
    bool has_verbosity;     /* ... and how much is said */
    bool has_all_removals;  /* a row for removals at any verbosity, else at -v */
    bool has_all_maxima;    /* the lines "Max" at any verbosity, else at -v */
    /* at -v: how far clocks lay apart, and what -C takes for granted */
    bool has_skew;
    const char *participants; /* at -v: before the number of tasks; NULL: it is not printed */
    enum weir_commencing commencing;
    int commencing_verbosity;
    bool has_gap_before_reads; /* an empty line behind the start of a read */
};

/* The row of a release, by its name; of a style that is none of these or NULL, the newest. Never
 * NULL. */
const struct weir_ior_layout *weir_ior_layout_find(const char *style);

/* The row that the plan's output follows. Never NULL. */
const struct weir_ior_layout *weir_ior_layout_of(const struct weir_plan *plan);

/* The version of the IOR that the output follows, as weir_report_version spells it. */
const char *weir_words_version(const struct weir_plan *plan,
                               char version[WEIR_REPORT_VERSION_BYTES]);

/* Appends what the line "Machine" says: more of it at -vv. */
void weir_words_machine(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_host_facts *host);

/* Appends what the line "Path" names: the file of rank 0, or, in 3.x and older, its directory. */
void weir_words_path(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_test_result *begun);

/* The phase that stands for the test's layout: its first write, else its first read, else its
 * check. NULL if the test moves no data. */
const struct weir_phase *weir_words_data_phase(const struct weir_test *test);

/* A setting of the test as a number; `otherwise` if it is not set, or no number. */
int64_t weir_words_setting(const struct weir_test *test, const char *key, int64_t otherwise);

/* How reads are shifted; for a test without reads, what was asked for anyway. */
struct weir_shift weir_words_shift(const struct weir_test *test);

/* 0, 1 or 2: how often IOR's -Z would have been given. */
unsigned weir_words_random_shift_count(const struct weir_shift *shift);

/* The seed as it was given: IOR's -X -5 is 5 that varies. */
int64_t weir_words_shift_seed(const struct weir_shift *shift);

/* True if a write of the test removes what was there before. */
bool weir_words_replaces(const struct weir_test *test);

/* Appends the name given for the files: "a", or "a@b@c". */
void weir_words_file_name(struct weir_text *text, const struct weir_test *test);

/* The user's remark (IOR's "debug"), NULL if there is none. */
const char *weir_words_remark(const struct weir_test *test);

/* Receives the lines of the block "Options", in order, as 3.2 and later versions have it. */
struct weir_words_listener {
    void *context;
    void (*text)(void *context, const char *key, const char *value);
    void (*number)(void *context, const char *key, double value);
};

void weir_words_options(const struct weir_words_listener *listener, const struct weir_plan *plan,
                        const struct weir_test *test, const struct weir_test_result *begun);

/* The file system in IOR's four words; zeros if nothing is known. */
struct weir_words_filesystem {
    char capacity[32];      /* "252.0 GiB" */
    char used_capacity[16]; /* "5.2%" */
    char inodes[32];        /* "16.0 Mi" */
    char used_inodes[16];
};

struct weir_words_filesystem weir_words_filesystem(const struct weir_filesystem_facts *facts);

/* Calls the listener with the keys of the version that plan->output.style says, in its order. */
void weir_parameters_say(const struct weir_words_listener *listener, const struct weir_plan *plan,
                         const struct weir_result *result, const struct weir_test_result *begun);

/* Appends "252.0 GiB   Used FS: 5.2%   Inodes: 16.0 Mi   Used Inodes: 2.5%". */
void weir_lines_filesystem(struct weir_text *text, const struct weir_filesystem_facts *facts);

/* Makes the rows of a summary. */
typedef void weir_lines_summary_row(struct weir_text *text, const struct weir_plan *plan,
                                    const struct weir_test_result *begun, enum weir_verb verb,
                                    const struct weir_ior_summary *summary);

/* True of a remark on nodes or tasks that the environment pretends (IOR_FAKE_NODES and its like),
 * which IOR and mdtest print without WARNING before it. */
bool weir_notices_is_pretence(const char *remark);

/* Those remarks of the first test: they are printed before everything else. */
void weir_notices_begin(struct weir_text *text, const struct weir_plan *plan);

bool weir_ior_holds_text(const char *begin);
bool weir_ior_holds_json(const char *begin);

#endif
