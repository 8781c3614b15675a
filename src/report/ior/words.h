/* SPDX-License-Identifier: Apache-2.0 */
/* The words of IOR's reports: what it repeats of a test's options, whatever the format. */
#ifndef WEIR_REPORT_IOR_WORDS_H
#define WEIR_REPORT_IOR_WORDS_H

#include "weir/base/facts.h"
#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"
#include "weir/report/report.h"

#include <stdbool.h>
#include <stdint.h>

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

/* First timed phase of the test that writes, or that reads: of that verb, else a mixed one. NULL if
 * there is none. */
const struct weir_phase *weir_words_phase(const struct weir_test *test, enum weir_verb verb);

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

#endif
