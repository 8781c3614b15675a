/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: reasons why a figure may not be the storage's. Each kind is one row of a table: its
 * name, its level (counted by --warningAsErrors), its effect on the figure (counted by the
 * verdict), and its page of the manual. */
#ifndef WEIR_BASE_FINDING_H
#define WEIR_BASE_FINDING_H

#include "weir/base/arena.h"

#include <stdarg.h>
#include <stdbool.h>

#define WEIR_FINDING_TEXT_BYTES 320

enum weir_severity { WEIR_NOTE, WEIR_WARNING };

enum weir_effect {
    WEIR_INFORM,  /* the figure is valid */
    WEIR_QUALIFY, /* the figure is true, but not what its name suggests */
    WEIR_VOID     /* the figure is not the storage's */
};

/* The subject of a run (--measure): the storage, or a cache or memory on purpose. */
enum weir_measure {
    WEIR_MEASURE_STORAGE,
    WEIR_MEASURE_CACHE, /* page, dentry or client cache */
    WEIR_MEASURE_MEMORY /* tmpfs, a burst buffer, the null backend */
};

/* In the order of their names. */
enum weir_finding_kind {
    WEIR_FINDING_ABOVE_MEMORY,
    WEIR_FINDING_ABSENT,
    WEIR_FINDING_BUFFERED_DIRECT,
    WEIR_FINDING_CHECKED_BEFORE,
    WEIR_FINDING_CLIENT_CACHE,
    WEIR_FINDING_CLOCK_DRIFT,
    WEIR_FINDING_CLOCK_ERROR,
    WEIR_FINDING_COUNT_MISMATCH,
    WEIR_FINDING_CPU_BOUND,
    WEIR_FINDING_CPU_CACHE,
    WEIR_FINDING_CPU_PRESSURE,
    WEIR_FINDING_DATA_IN_FLIGHT,
    WEIR_FINDING_DATA_SHARE,
    WEIR_FINDING_DEGRADED,
    WEIR_FINDING_DEPTH_EDGE,
    WEIR_FINDING_DEPTH_NOT_REACHED,
    WEIR_FINDING_DEPTHS_DIFFER,
    WEIR_FINDING_FAILED,
    WEIR_FINDING_FAST_TARGET,
    WEIR_FINDING_FILE_SIZE,
    WEIR_FINDING_FITS_IN_MEMORY,
    WEIR_FINDING_FITS_SERVER_MEMORY,
    WEIR_FINDING_FLOW_ERRORS,
    WEIR_FINDING_FLOWS_LEFT_OUT,
    WEIR_FINDING_FOREIGN_IO,
    WEIR_FINDING_IMBALANCE,
    WEIR_FINDING_IN_MEMORY,
    WEIR_FINDING_INTERRUPTED,
    WEIR_FINDING_IO_LIMIT,
    WEIR_FINDING_LATE_ISSUE,
    WEIR_FINDING_LATENCY_BOUND,
    WEIR_FINDING_LAUNCHER_MISMATCH,
    WEIR_FINDING_LOOPBACK,
    WEIR_FINDING_LOWER_CACHE,
    WEIR_FINDING_MAYBE_CACHED,
    WEIR_FINDING_MIGRATED,
    WEIR_FINDING_MORE_OUTLIERS,
    WEIR_FINDING_MTU,
    WEIR_FINDING_NAMES_CACHED,
    WEIR_FINDING_NAMES_DELAYED,
    WEIR_FINDING_NO_DEVICE_IO,
    WEIR_FINDING_NO_OVERLAP,
    WEIR_FINDING_NO_PROGRESS,
    WEIR_FINDING_NO_STORAGE,
    WEIR_FINDING_NOT_GRANTED,
    WEIR_FINDING_ODD_PAIR,
    WEIR_FINDING_OLD_NAMES,
    WEIR_FINDING_ONE_LINK,
    WEIR_FINDING_OUTLIER,
    WEIR_FINDING_OVERLAP,
    WEIR_FINDING_OVERSUBSCRIBED,
    WEIR_FINDING_PERIODIC_STALLS,
    WEIR_FINDING_PIN_FAR,
    WEIR_FINDING_PIN_NARROWED,
    WEIR_FINDING_QUEUE_LIMIT,
    WEIR_FINDING_RATE_NOT_SHOWN,
    WEIR_FINDING_RATE_NOT_SUSTAINED,
    WEIR_FINDING_READ_AHEAD,
    WEIR_FINDING_REMOTE_MEMORY,
    WEIR_FINDING_REPEATED,
    WEIR_FINDING_RESIDENT,
    WEIR_FINDING_RETRANSMITS,
    WEIR_FINDING_SAME_ADDRESS,
    WEIR_FINDING_SAME_FILE,
    WEIR_FINDING_SAME_HOST,
    WEIR_FINDING_SAME_NODE,
    WEIR_FINDING_SEARCH_DIFFERS,
    WEIR_FINDING_SEARCHED_BEFORE,
    WEIR_FINDING_SHARED_CORE,
    WEIR_FINDING_SHARED_MEMORY,
    WEIR_FINDING_SHARED_TARGET,
    WEIR_FINDING_SHORT,
    WEIR_FINDING_SHORT_TRANSFERS,
    WEIR_FINDING_SIZES_DIFFER,
    WEIR_FINDING_SKEWED_START,
    WEIR_FINDING_SKIPPED,
    WEIR_FINDING_SLOW_TARGET,
    WEIR_FINDING_SMALL_REQUESTS,
    WEIR_FINDING_SOFTWARE_RDMA,
    WEIR_FINDING_SPREAD,
    WEIR_FINDING_STALL,
    WEIR_FINDING_STEAL,
    WEIR_FINDING_STONEWALL,
    WEIR_FINDING_STORAGE_DIFFERS,
    WEIR_FINDING_SUBMIT_BLOCKS,
    WEIR_FINDING_SYNC_NO_EFFECT,
    WEIR_FINDING_THROTTLED,
    WEIR_FINDING_TREND,
    WEIR_FINDING_TRUNK,
    WEIR_FINDING_UNLOGGED,
    WEIR_FINDING_UNSYNCED,
    WEIR_FINDING_VOLATILE_CACHE,
    WEIR_FINDING_VOLATILE_MOUNT,
    WEIR_FINDING_WARM_UP,
    WEIR_FINDING_WOULD_BLOCK,
    WEIR_FINDING_WRONG_DATA,
    WEIR_FINDING_WRONG_NODE,
    WEIR_FINDING_COUNT
};

#define WEIR_FINDING_FORMER_MAX 2

struct weir_finding_row {
    const char *name;                            /* in reports and result files */
    const char *former[WEIR_FINDING_FORMER_MAX]; /* names in older result files; NULL = none */
    enum weir_severity severity;
    enum weir_effect effect;
    enum weir_measure measures; /* --measure value that removes the effect; STORAGE = none does */
    /* Paragraphs of weir help NAME, which capitalises their first words: */
    const char *meaning;
    const char *detection; /* the readings that it is computed from */
    const char *threshold; /* its value, and the reason for it */
    const char *remedy;
    const char *test; /* a test that provokes it, and its clean twin */
    const char *page; /* docs/PAGE.md; NULL = none */
};

extern const struct weir_finding_row weir_finding_rows[WEIR_FINDING_COUNT];

/* "inform", "qualify", "void"; "note", "warning"; "storage", "cache", "memory". */
extern const char *const weir_effect_names[3];
extern const char *const weir_severity_names[2];
extern const char *const weir_measure_names[3];

/* The kind of this name, present or former; WEIR_FINDING_COUNT if there is none. */
enum weir_finding_kind weir_finding_lookup(const char *name);

struct weir_finding {
    enum weir_severity severity;
    enum weir_effect effect;
    const char *name;         /* of its row */
    const char *text;         /* one line, shorter than WEIR_FINDING_TEXT_BYTES */
    const char *explained_by; /* name of a finding of the same phase that causes it; NULL = none */
    bool is_allowed;          /* --allow or --measure removed its effect, which is WEIR_INFORM */
};

/* Appends one to a list in an arena, which starts as NULL with a count of 0. */
void weir_finding_add(struct weir_arena *arena, struct weir_finding **findings, unsigned *count,
                      enum weir_finding_kind kind, enum weir_severity severity,
                      enum weir_effect effect, const char *format, va_list arguments);

/* Removes the effects of findings in `allowed` (names separated by commas; NULL = none), and of
 * those whose row has this `measure`. Returns `measure` if it removed an effect, else
 * WEIR_MEASURE_STORAGE. */
enum weir_measure weir_findings_allow(struct weir_finding *findings, unsigned count,
                                      const char *allowed, enum weir_measure measure);

/* Returns the place of a finding in the order of reports, from 0 = wrong data to
 * WEIR_FINDING_WEIGHTS - 1 = a note that informs: by its effect on the verdict, then warnings
 * before notes. */
#define WEIR_FINDING_WEIGHTS 10
unsigned weir_finding_weigh(const struct weir_finding *finding);

/* Iterates over a list by weight, the weightiest first: returns the finding after `last` (NULL =
 * the first one), or NULL at the end. */
const struct weir_finding *weir_finding_next(const struct weir_finding *findings, unsigned count,
                                             const struct weir_finding *last);

/* ---- evidence ---- */

/* Questions about a phase; a decisive one without an answer leaves the figure unverified. */
enum weir_evidence_question {
    WEIR_EVIDENCE_PAGE_CACHE, /* were data that were read in the page cache of the node? */
    WEIR_EVIDENCE_SUPPLIED,   /* were data read that no device or server supplied? */
    WEIR_EVIDENCE_STORED,     /* were written data still in memory when the phase ended? */
    WEIR_EVIDENCE_SYNCED,     /* did syncs have no effect? */
    WEIR_EVIDENCE_NAMES,      /* did a cache answer operations on names? */
    WEIR_EVIDENCE_CPU,        /* did ranks wait for a CPU? */
    WEIR_EVIDENCE_COUNT
};

enum weir_evidence_state {
    WEIR_NOT_ASKED,      /* does not apply: e.g. syncs in a phase that reads */
    WEIR_CANNOT_OBSERVE, /* applies, and no reading answers it here */
    WEIR_NOT_SEEN,       /* a reading answers no: all is well */
    WEIR_SEEN            /* a reading answers yes */
};

struct weir_evidence {
    enum weir_evidence_state state;
    const char *reason; /* the reading, or why there is none; NULL = not given */
};

struct weir_evidence_row {
    const char *name;     /* "page-cache" */
    const char *question; /* for the doctor */
    bool is_decisive;     /* without an answer the figure is unverified */
};
extern const struct weir_evidence_row weir_evidence_rows[WEIR_EVIDENCE_COUNT];

/* "", "cannot be observed here", "not seen", "seen". */
extern const char *const weir_evidence_state_names[4];

/* ---- the verdict ---- */

/* From the best to the worst. */
enum weir_believed {
    WEIR_BELIEVED_OK,
    WEIR_BELIEVED_CAUTION,    /* a finding qualifies the figure */
    WEIR_BELIEVED_UNVERIFIED, /* the decisive evidence cannot be observed here */
    WEIR_BELIEVED_PARTIAL,    /* the phase failed, is incomplete or was skipped */
    WEIR_BELIEVED_DO_NOT_USE, /* a finding voids the figure */
    WEIR_BELIEVED_WRONG_DATA,
    WEIR_BELIEVED_COUNT
};

/* "OK", "CAUTION", "UNVERIFIED", "PARTIAL", "DO NOT USE", "WRONG DATA". */
extern const char *const weir_believed_names[WEIR_BELIEVED_COUNT];

/* Sentences of weir help believed, which ends them with a full stop. */
struct weir_believed_page {
    const char *meaning;
    const char *cause; /* the facts that weir_believe() derives it from */
    const char *action;
};
extern const struct weir_believed_page weir_believed_pages[WEIR_BELIEVED_COUNT];

/* Returns the verdict that a user typed: in any case, with a blank, "-" or "_" between its words,
 * also as "CAUTION cache, as asked". Returns WEIR_BELIEVED_COUNT if there is none. */
enum weir_believed weir_believed_lookup(const char *typed);

/* Input of weir_believe(). */
struct weir_verdict_facts {
    const struct weir_finding *findings;
    unsigned finding_count;
    bool has_wrong_data;
    bool is_partial;
    bool lacks_evidence;
    bool is_as_asked; /* --measure removed an effect */
};
/* Returns the worst verdict that follows from the facts. */
enum weir_believed weir_believe(const struct weir_verdict_facts *facts);

#endif
