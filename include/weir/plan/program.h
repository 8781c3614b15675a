/* SPDX-License-Identifier: Apache-2.0 */
/* A program: statements that each rank goes through by itself, with loops, groups, timed blocks and
 * single operations on files. Built once by a front end, then const, and the same on all ranks.
 * What it means is that of Parabench's language: docs/parabench.md. */
#ifndef WEIR_PLAN_PROGRAM_H
#define WEIR_PLAN_PROGRAM_H

#include "weir/base/descriptor.h"
#include "weir/plan/expr.h"

#include <string.h>

/* Operations. Each has a row in weir_calls. */
enum weir_call {
    /* by name: */
    WEIR_CALL_WRITE, /* open and truncate, write, close */
    WEIR_CALL_APPEND,
    WEIR_CALL_READ,
    WEIR_CALL_DIRECT_WRITE, /* past the page cache */
    WEIR_CALL_DIRECT_READ,
    WEIR_CALL_CREATE,
    WEIR_CALL_DELETE, /* a file or an empty directory */
    WEIR_CALL_MKDIR,
    WEIR_CALL_RMDIR,
    WEIR_CALL_RENAME,
    WEIR_CALL_LINK,
    WEIR_CALL_LOOKUP, /* is there such a name? */
    WEIR_CALL_STAT,
    WEIR_CALL_LIST, /* the names in a directory */
    /* by handle: */
    WEIR_CALL_FOPEN,
    WEIR_CALL_FCREAT,
    WEIR_CALL_FCLOSE,
    WEIR_CALL_FWRITE,
    WEIR_CALL_FREAD,
    WEIR_CALL_FSEEK,
    WEIR_CALL_FSYNC,
    /* by all ranks of the innermost group together, through MPI-IO, after a pattern: */
    WEIR_CALL_PWRITE,
    WEIR_CALL_PREAD,
    WEIR_CALL_PFOPEN,
    WEIR_CALL_PFWRITE,
    WEIR_CALL_PFREAD,
    WEIR_CALL_PFCLOSE,
    WEIR_CALL_PDELETE, /* by each rank that comes to it */
    /* no words of a program: what a call by name does beside what it is timed for */
    WEIR_CALL_NAMED_OPEN,
    WEIR_CALL_NAMED_CLOSE,
};
#define WEIR_CALL_COUNT 30
#define WEIR_CALL_WORDS WEIR_CALL_NAMED_OPEN /* those below can be written */

/* Arguments of a call, in their order: each as one of these letters, optional ones in lower case.
 * N a name of a file, S a size in bytes, O an offset (-1: where the handle is), M a mode of fopen,
 * W a whence, H a variable with a handle, P a pattern's name. */
struct weir_call_row {
    const char *word;      /* as written: "fopen" */
    const char *label;     /* as Parabench's command report has it: "FOpen" */
    const char *arguments; /* "NSo" */
    const char *help;      /* "write (name, size [, offset])": ... one line */
    bool gives_handle;     /* stands on the right of = */
    bool is_together;      /* with all ranks of the innermost group */
    bool is_timed;         /* in core times */
    bool moves_data;
    bool writes;   /* changes files or names */
    unsigned verb; /* WEIR_OP_... of the backend that it mostly is, as the room io numbers them */
};
extern const struct weir_call_row weir_calls[WEIR_CALL_COUNT];

/* By the word, without regard to case (`length` characters); WEIR_CALL_COUNT if there is none. */
enum weir_call weir_call_find(const char *word, size_t length);

enum weir_statement_kind {
    WEIR_DO_ASSIGN,    /* variable = arguments[0] */
    WEIR_DO_PRINT,     /* arguments, joined by blanks, to standard output behind "[rank] " */
    WEIR_DO_CALL,      /* variable = call(arguments), or without a variable */
    WEIR_DO_REPEAT,    /* variable = 0 ... arguments[0] - 1: body; or for duration_ns */
    WEIR_DO_IF,        /* arguments[0] is not 0: body; else otherwise */
    WEIR_DO_TIME,      /* the body is an event of the label arguments[0] */
    WEIR_DO_CORE_TIME, /* the calls of the body are one */
    WEIR_DO_GROUP,     /* the body on the ranks of a group, for which it is the innermost one */
    WEIR_DO_MASTER,    /* the body on the first rank of the innermost group */
    WEIR_DO_BARRIER,   /* of `group` */
    WEIR_DO_SLEEP,     /* arguments[0] microseconds */
};

#define WEIR_NO_VARIABLE UINT32_MAX
#define WEIR_ALL_RANKS UINT32_MAX       /* for `group`: all ranks of the test */
#define WEIR_INNERMOST (UINT32_MAX - 1) /* the group around the statement */

/* Calls move no more than this at once and reuse one buffer of this size: signals and limits are
 * looked at in between, and 64 MiB take less than a second at 100 MB/s. */
#define WEIR_CALL_PIECE_BYTES (UINT64_C(64) << 20)

/* The longest sleep, 292 years: a longer one overflows in nanoseconds. */
#define WEIR_SLEEP_US_MAX (INT64_MAX / 1000)

#define WEIR_PROGRAM_NESTING_MAX 1000 /* statements around a statement */

struct weir_statement {
    enum weir_statement_kind kind;
    unsigned line;   /* of the source, from 1 on */
    unsigned number; /* among the statements of the program, in their order in the source */
    const struct weir_statement *next;
    const struct weir_statement *body;        /* NULL: empty */
    const struct weir_statement *otherwise;   /* IF; NULL: nothing */
    const struct weir_expr *const *arguments; /* NULL entries: left out */
    unsigned argument_count;
    unsigned variable; /* ASSIGN, REPEAT, CALL; or WEIR_NO_VARIABLE */
    unsigned group;    /* GROUP, BARRIER */
    enum weir_call call;
    unsigned open_flags;  /* FOPEN: of enum weir_open_flag */
    uint64_t duration_ns; /* REPEAT: no round begins later than this after the first; 0: counted */
    bool is_together; /* REPEAT with a duration: ranks of the group meet in the body, so its first
                         rank decides for all of them whether another round begins */
};

/* A file of `iter` rounds: in each, every rank of a group has `elem` bytes one after the other:
 * round r of rank p of P at byte (r P + p) elem. */
struct weir_pattern {
    const char *name;
    uint64_t iter;
    uint64_t elem;
    unsigned type;  /* 1 or 2, of the same layout */
    unsigned level; /* 0: a call a round, by itself; 1: likewise, collective; 2: one call by itself;
                       3: one collective call */
    unsigned group; /* whose ranks; or WEIR_ALL_RANKS */
    unsigned line;
};

/* Tags of groups: how they share the ranks out. */
enum weir_group_tag { WEIR_GROUP_SINGLE, WEIR_GROUP_DISJOINT, WEIR_GROUP_PLAIN };

struct weir_program_group {
    const char *name;
    enum weir_group_tag tag;
    uint64_t order; /* number behind the tag */
    uint64_t size;  /* ranks that are wanted; 0: it is not mapped, and its blocks are skipped */
    unsigned line;
};

/* The ranks of a group: a contiguous range. */
struct weir_rank_range {
    uint64_t first;
    uint64_t count; /* 0: none */
};

struct weir_parameter {
    const char *text; /* what it is for, as the program says */
    unsigned variable;
    const char *value;  /* given, or the default */
    const char *origin; /* "default", "environment", "command line" */
};

enum weir_on_error {
    WEIR_ON_ERROR_CONTINUE, /* as Parabench: failed calls are counted */
    WEIR_ON_ERROR_STOP      /* all ranks end after `error_limit` failed calls of one rank */
};

struct weir_program {
    const char *path;   /* of the source, as typed */
    const char *source; /* its text */
    struct weir_variables variables;
    const struct weir_parameter *parameters; /* set before the first statement */
    unsigned parameter_count;
    const struct weir_program_group *groups;
    unsigned group_count;
    const struct weir_pattern *patterns;
    unsigned pattern_count;
    const struct weir_statement *statements; /* NULL: none */
    unsigned statement_count;                /* at all levels */
    unsigned nesting;                        /* most statements around one, it included */
    bool uses_patterns;                      /* some call goes through MPI-IO */
    uint64_t largest_bytes; /* buffer of the largest call, as far as constants and parameters say:
                               WEIR_CALL_PIECE_BYTES at most, or a pattern's transfer; 0: not known
                             */
    uint64_t parse_ns; /* it took this rank so long to read and check it; in no text of the plan */
    /* how it is run: */
    enum weir_on_error on_error;
    uint64_t error_limit;     /* > 0 with WEIR_ON_ERROR_STOP */
    const char *const *roots; /* directories, absolute and without . and ..; a name outside of all
                                 of them ends the program */
    unsigned root_count;      /* 0: any name will do */
    bool skips_calls;         /* -d: no call is made, and none is counted */
    bool skips_sleeps;        /* -a */
    bool waits_for_signal;    /* -w: rank 0 waits for SIGUSR1 before all begin */
    bool seed_is_given;
    uint64_t seed;        /* of $$rand and $$crand */
    bool must_verify;     /* what is written is stamped, and what is read compared with it */
    uint64_t event_limit; /* events of all ranks together that are kept one by one, for the lists of
                             Parabench's reports */
};

/* Which ranks of `ranks` each group gets, in `ranges` (group_count of them). Single ones first from
 * rank 0 on, in the order of their numbers; behind them disjoint ones, each number beginning there
 * anew; plain ones all begin there. Tells in `warnings` (NULL: nowhere) groups that are cut or not
 * mapped, a line each, in Parabench's words. Pure. */
void weir_program_map_groups(const struct weir_program *program, uint64_t ranks,
                             struct weir_rank_range ranges[], struct weir_text *warnings);

/* Gives the variables of the parameters, in `values`, their texts. 0, or as weir_value_set_text. */
int weir_program_set_parameters(const struct weir_program *program, struct weir_value values[]);

/* Calls that all ranks make together, by enum weir_call, and what they move. */
struct weir_program_count {
    uint64_t calls[WEIR_CALL_COUNT];
    uint64_t bytes[WEIR_CALL_COUNT];
    bool reads_whole_files; /* their sizes are unknown and not in `bytes` */
    bool draws_numbers;     /* random ones: with another seed it may do something else */
    /* of the file of the first call that moves data or opens a file, else of the first call with a
     * name; "" = none */
    char name[WEIR_VALUE_BYTES];
    bool is_name_of_data; /* that call moves data or opens a file */
    /* where it could not be told how it goes on: */
    unsigned line; /* of the source; 0: nowhere */
    uint64_t rank;
    char reason[256]; /* a clause */
};

/* What the program does on `ranks` ranks of one node if no call fails; goes through `most`
 * statements and rounds of all ranks. False: only up to `line` on `rank`, and no later rank. Pure.
 */
bool weir_program_count(const struct weir_program *program, uint64_t ranks, uint64_t most,
                        struct weir_program_count *count);

/* By name; NULL if there is none. */
const struct weir_pattern *weir_program_find_pattern(const struct weir_program *program,
                                                     const char *name);

/* Goes on in `path`, which is clean (absolute, without . and .. in it; "" is the root) and `length`
 * long, along `name`; the new length. There must be room for a slash and all of `name` behind it.
 * Of the text alone: links are not followed. */
size_t weir_program_clean_path(char *path, size_t length, const char *name);

/* True if `name` is the directory `root` or in it, both clean. `bytes` is the length of `root`,
 * 0 = the directory /. */
static inline bool weir_program_is_inside(const char *root, size_t bytes, const char *name)
{
    return strncmp(root, name, bytes) == 0 && (name[bytes] == '/' || name[bytes] == '\0');
}

/* Returns a name without the file system prefix of ROMIO ("ufs:NAME"), which calls of MPI-IO may
 * have. */
static inline const char *weir_program_skip_prefix(enum weir_call call, const char *name)
{
    const char *colon = call < WEIR_CALL_PWRITE ? NULL : strpbrk(name, ":/");

    return colon != NULL && *colon == ':' ? colon + 1 : name;
}

/* For weir_plan_explain: the program as stable text, a line for each statement. */
void weir_program_explain(const struct weir_program *program, struct weir_text *text);

#endif
