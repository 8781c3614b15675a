/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: pure functions from (plan, result) to text. Live rows are the reporter called after each
 * phase. */
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include "weir/base/diagnosis.h"
#include "weir/base/error.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* One format of a report. Each function appends what is due at that point; any may be NULL. */
struct weir_reporter {
    const char *name; /* "ior", "ior json" */
    bool is_text;     /* lines for people: warnings and our own block have a place in it */
    bool is_document; /* a document of one run: several cannot follow one another */
    bool is_of_sweep; /* of runs that are a sweep alone */
    /* Begins the line about a launcher and MPI that disagree, after what `begin` prints; NULL:
     * there is none, or `begin` prints it. */
    const char *warning_label;
    /* A file holds such a report, of whatever style, if it begins with the header, with one of the
     * openings, or as is_held says. Each reporter has one of these. */
    const char *header;          /* its first line, which is printed before all else */
    const char *const *openings; /* NULL ends the list */
    bool (*is_held)(const char *begin);
    /* The reporter that prints this style; NULL: this one prints all of them. */
    const struct weir_reporter *(*in_style)(const char *style);
    void (*begin)(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result);
    void (*test_begins)(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *test);
    void (*phase_done)(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase);
    void (*test_ends)(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *test);
    void (*end)(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result);
};

/* By the output's name of a reporter and its style. Never NULL: front ends check the name. */
const struct weir_reporter *weir_reporter_find(const struct weir_output *output);

/* True if a file that begins like this holds a report of any reporter. */
bool weir_report_is_held(const char *begin);

/* Whether a report has the tables behind the verdict: they are asked for, or -v is. */
bool weir_report_has_details(const struct weir_output *output);

/* Our own block: what the dialect's format has no place for. Appended after its end, unless the
 * output is plain. */
void weir_report_trust(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result);

/* Appends the verdict of a run with its reasons, a line for each kind of phase, and a line that
 * says what was measured: at most 12 lines of 100 columns, but for longer sentences; or the same as
 * a table of Markdown. */
void weir_report_verdict(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_result *result, bool is_markdown);

/* Appends the verdicts of weir doctor about a path (NULL = none) as a JSON object. */
void weir_report_diagnosis(const struct weir_diagnosis *diagnosis, const char *path,
                           struct weir_text *text);
/* True if lines of values have the verdict and the findings as last columns: not where a report is
 * to be that of the original (--plain, --compat, or a call by the name of the original). */
bool weir_report_has_own_columns(const struct weir_plan *plan);

/* Appends the names of the findings of a phase, the weightiest first: "resident;short". Findings
 * that others explain are left out. */
void weir_report_add_findings(struct weir_text *text, const struct weir_phase_result *phase);

/* Appends the notes of the backend about its files, whole lines, with control characters made
 * visible. For phases that have notes. */
void weir_report_notes(struct weir_text *text, const struct weir_phase_result *phase);

/* The version of an original as its readers take it: bare where the report is to be the original's
 * (--compat, --plain), otherwise with ours. */
#define WEIR_REPORT_VERSION_BYTES 48
const char *weir_report_version(const struct weir_plan *plan, const char *original,
                                char version[WEIR_REPORT_VERSION_BYTES]);

/* Appends a line: `label`, and the sentence with control characters made visible. */
void weir_report_sentence(struct weir_text *text, const char *label, const char *sentence);
/* Appends a text for XML in one line, with control characters made visible. */
void weir_report_add_xml(struct weir_text *text, const char *string);
/* Appends the remarks of the front end on a test, but for those that a test before it has too. */
void weir_report_remarks(struct weir_text *text, const char *label, const struct weir_plan *plan,
                         const struct weir_test *test);
/* Appends why the files of a test may not fit; nothing if they do. */
void weir_report_room(struct weir_text *text, const char *label,
                      const struct weir_test_result *test);

/* Has JSON take its memory from the reserve (weir/base/memory.h), as texts do: a record for which
 * there is none would be missing, and nothing would tell. Before the first report. */
void weir_report_use_reserve(void);

/* The live report: what the plan's reporter prints at each point, with remedies in the words of the
 * dialect. */
void weir_report_begin(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result);
void weir_report_test_begins(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_result *result, const struct weir_test_result *test);
void weir_report_phase_done(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result,
                            const struct weir_phase_result *phase);
void weir_report_test_ends(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_test_result *test);
/* With our own block, unless it goes elsewhere. */
void weir_report_end(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result, bool has_trust);

/* Appends a line for each condition of the plan (--expect), the last one for one that does not
 * hold.
 */
void weir_report_conditions(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result);
/* True if the report has these lines, as weir_report_end prints it. */
bool weir_report_has_conditions(const struct weir_plan *plan);

/* The file of a second report that the test asks for, and the option that did, for errors; NULL:
 * none. */
const char *weir_report_side_path(const struct weir_plan *plan, unsigned test, const char **option);
/* That report of a phase, if there is one. */
void weir_report_side(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_phase_result *phase);

/* Number of lines of the text that warn: `WARNING: ...`, but for those about sizes of files, which
 * are also printed where a part of a file is read (weir_audit_warns judges these). */
unsigned weir_report_count_warnings(const char *text);

/* The words of a dialect for remedies; NULL, for which there are neutral ones, if it has none. */
const struct weir_remedy_word *weir_report_words(const char *dialect);

/* The words for remedies in sentences on a test of the plan: one option may name what a test reads,
 * and another what it writes. */
const struct weir_remedy_word *weir_report_words_of(const struct weir_plan *plan, unsigned test);

/* Puts words in the place of the remedies that the text has from `begin` on. */
void weir_report_spell(struct weir_text *text, size_t begin, const struct weir_remedy_word *words);

/* The whole report at once, from a finished result. */
void weir_report_whole(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result);

/* ---- the file with the figures of each rank, as the dialect of the test has it ---- */

/* What cannot be written yet. All zero: nothing. */
struct weir_rank_csv {
    unsigned iteration;
    unsigned rank_count;
    uint64_t items;
    double *cells;
};

/* Its first line. */
const char *weir_rank_csv_header(const struct weir_plan *plan, unsigned test);

/* Appends the lines that are due when a phase is done; none for phases that the dialect does not
 * show, or once the rows of the ranks are gone. */
void weir_rank_csv_add(struct weir_rank_csv *held, struct weir_text *text,
                       const struct weir_plan *plan, const struct weir_phase_result *phase);

/* Appends the lines that were held, if there are any, at the end of a test. */
void weir_rank_csv_end(struct weir_rank_csv *held, struct weir_text *text,
                       const struct weir_plan *plan, unsigned test);

/* ---- the result file: JSON lines; schema in docs/result-file.md ---- */

/* One line (with its newline) each. */
void weir_record_run(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result);
void weir_record_test(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *test);
void weir_record_phase(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase);
void weir_record_timed(struct weir_text *text, const struct weir_result *result,
                       const struct weir_timed_result *timed);
void weir_record_end(struct weir_text *text, const struct weir_result *result);

/* A result file that is open for appending. */
struct weir_record_file {
    int descriptor;           /* -1 = none */
    const char *path;         /* NULL = not known: it is not compared with the open file */
    struct weir_text pending; /* records that wait until another process unlocks the file */
    uint64_t end_bytes;       /* its size after the latest record */
    bool has_waited;          /* for the lock, and has reported that */
    bool is_damaged;          /* others have cut, removed or replaced it, which was reported */
};

/* Appends lines to a file and makes them stable before it returns. Runs that append to one file at
 * the same time take turns. While another process holds a lock on the file, records are kept in
 * memory, after one wait of at most 2 s. Returns 0 or -errno. */
int weir_record_append(struct weir_record_file *file, const struct weir_text *text);
/* Appends what is still kept in memory, locked by others or not: readers know records by their ids.
 * Closes the file; of one that was closed after a failure (descriptor -1), frees what was kept.
 * Returns 0 or -errno. */
int weir_record_finish(struct weir_record_file *file);

#define WEIR_RUN_ID_BYTES 17 /* 16 hexadecimal digits */

#define WEIR_RUN_PROGRAM_BYTES 256

/* A run in a file, without what it found. */
struct weir_recorded_run {
    char id[WEIR_RUN_ID_BYTES]; /* "" in files of older versions */
    char dialect[16];           /* "ior", "net" */
    char plan_id[WEIR_RUN_ID_BYTES];
    char resumed_id[WEIR_RUN_ID_BYTES]; /* of the run that it goes on with; "": none */
    /* Of a program: its path, ranks and the parameters that are no defaults, cut; else "". */
    char program[WEIR_RUN_PROGRAM_BYTES];
    char command[WEIR_RUN_PROGRAM_BYTES]; /* the command line, cut; "" = not in the file */
    char version[32];                     /* of weir */
    char job[64];                         /* of the batch system: "slurm job 123"; "" = none */
    unsigned rank_count;                  /* 0 = not in the file */
    unsigned node_count;
    double begun_s;
    unsigned phase_count; /* of "net": measurements */
    bool has_ended;       /* else it was cut, or still goes on */
    bool is_interrupted;  /* and has ended all the same */
    int exit_code;        /* as its end says */
    bool has_report;      /* the reporters can print it; not so "net", which has no plan */
};

/* All runs of a file in the order in which they began, in `arena`. */
int weir_record_list(const char *path, struct weir_arena *arena, struct weir_recorded_run **runs,
                     unsigned *count, struct weir_error *error);

/* ---- its runs: from the file alone, whatever the command lines mean today ---- */

/* For `run` below: positions in the list, or one of these, which pass over runs without a report.
 * Ids tell the records of runs at the same time apart. */
#define WEIR_LAST_RUN UINT_MAX
#define WEIR_ALL_RUNS (UINT_MAX - 1)

/* A run as it was planned and as it went. Its backends have names and options, as texts, but no
 * abilities and no code. */
struct weir_recorded {
    unsigned number;  /* position in the list */
    unsigned damaged; /* records of it that were left out */
    struct weir_recorded_run summary;
    struct weir_plan *plan; /* NULL of weir net, which has records instead: a JSON array */
    struct weir_result *result;
    struct json_t *records;
};

void weir_recorded_close(struct weir_recorded *run);

/* Lines that are cut or damaged are left out. Errors: no such run, another schema, nothing whole.
 */
int weir_record_read(const char *path, unsigned run, struct weir_recorded *read,
                     struct weir_error *error);

/* Goes through the runs of a file in the order in which they began, in one pass. `path` must
 * outlive the reader. */
struct weir_record_reader;
int weir_record_open(const char *path, unsigned run, struct weir_record_reader **reader,
                     struct weir_error *error);
/* 1 with the next run, 0 at the end, or an error. A run is handed over as soon as its end is read
 * and those before it are handed over, so a file of runs that ended one after the other is never
 * held as a whole; what was cut has no end before that of the file. */
int weir_record_next(struct weir_record_reader *reader, struct weir_recorded *run,
                     struct weir_error *error);
/* Before the first run is read: which runs are wanted, as --run says: "all", "last", the beginning
 * of an id, or a number of which the first `before` are those of earlier files. A number of four or
 * more digits may be either. `has_net`: runs of weir net, too. */
void weir_record_select(struct weir_record_reader *reader, const char *word, unsigned before,
                        bool has_net);
/* Before the first run is read: names in records become pseudonyms. NULL = they stay. */
struct weir_redaction;
void weir_record_redact(struct weir_record_reader *reader, struct weir_redaction *redaction);
/* Lines so far that were cut or damaged, or belong to a run whose first line was, and were left
 * out.
 */
unsigned weir_record_damaged(const struct weir_record_reader *reader);
/* Number of the first run that was wanted and cannot be read, from 1 on; 0 = none so far. */
unsigned weir_record_lost(const struct weir_record_reader *reader);
/* Runs so far. */
unsigned weir_record_count(const struct weir_record_reader *reader);
void weir_record_close(struct weir_record_reader *reader); /* NULL is allowed */

/* All of them at once: for weir_recorded_close_all. */
int weir_record_read_all(const char *path, struct weir_recorded **runs, unsigned *count,
                         struct weir_error *error);
void weir_recorded_close_all(struct weir_recorded *runs, unsigned count);

/* ---- going on with a run that was cut ---- */

/* What earlier runs of a plan have finished. A step is all tests of a step of the plan's sweep, or
 * else one test. All zero: nothing. */
struct weir_resumption {
    struct weir_recorded *runs; /* latest first; each went on with the one after it */
    unsigned run_count;
    struct weir_result **kept; /* by test: the results that hold those of this one; NULL: none */
    /* By test: repetitions, from the first one on, that are kept of a test that is not, and the
     * results that hold them. */
    uint64_t *repetitions;
    struct weir_result **partly;
    unsigned step_count;
    unsigned kept_count;       /* steps */
    unsigned kept_repetitions; /* of all tests */
    /* The latest run ended for want of time, and has finished nothing that can be kept: the seconds
     * that it spent on `lost_test`. 0 = not so. */
    double lost_s;
    unsigned lost_test;
};

/* Looks for the last run of the plan in its result file. Nothing, if the file does not exist or
 * holds no run. Errors: it holds runs and none of this plan, or one with other ranks. */
int weir_resumption_open(struct weir_resumption *resumption, const struct weir_plan *plan,
                         unsigned rank_count, struct weir_error *error);
void weir_resumption_close(struct weir_resumption *resumption);

#endif
