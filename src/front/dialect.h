/* SPDX-License-Identifier: Apache-2.0 */
/* A dialect in the front end: the command line of one benchmark, turned into plans. Each is a
 * folder here and a row in the table of dialects.c. */
#ifndef WEIR_FRONT_DIALECT_H
#define WEIR_FRONT_DIALECT_H

#include "request.h"
#include "weir/front/front.h"

#include <stddef.h>

/* The words that a command reads: argv without the program's and the command's own. */
struct weir_invocation {
    int argc;
    const char *const *argv;
    int first; /* index of the first word to read */
    const struct weir_backends *backends;
};

/* A word for --format of weir report. */
struct weir_dialect_format {
    const char *word;     /* NULL ends a list */
    const char *reporter; /* its name, as in src/report/report.c */
};

/* What the values of a sweep's axis are. */
enum weir_axis_kind {
    WEIR_AXIS_COUNTS,
    WEIR_AXIS_SIZES,      /* written in bytes */
    WEIR_AXIS_SIZES_IN_K, /* whole kilobytes, which are written with a k */
    WEIR_AXIS_CHOICES,    /* words, of which each stands for its number from 0 on */
    WEIR_AXIS_TEXTS       /* as typed */
};

/* Words that a step of `weir sweep` adds to the command line. */
struct weir_dialect_axis {
    const char *name; /* NULL ends a list */
    enum weir_axis_kind kind;
    const char *words[4]; /* with % for the value; NULL ends them. None: the sweep does it itself */
    const char *choices;  /* CHOICES: with | between them */
};

struct weir_dialect {
    const char *name;    /* command and, with anything behind it, name of the program: "ior-4.1" */
    const char *alias;   /* a second name of the command; NULL: none */
    const char *program; /* not NULL: the program is called so instead, with anything behind it */
    const char *help;    /* what it does: a line of weir without options */
    /* the program and version whose formats are printed: "IOR 4.1.0"; NULL: none, it is our own */
    const char *imitates;
    const struct weir_front_tables *tables;
    /* The dialect's own request, whose first member is `base`: its size, and where the values of
     * the options and of the additions are in it. */
    size_t request_bytes;
    size_t options_offset;
    size_t additions_offset;
    /* Puts what the environment asks for before the plan's word `first`. 0, or a usage error. NULL:
     * nothing but WEIR_OVERWRITE. */
    int (*add_environment)(struct weir_plan *plan, int first, struct weir_error *error);
    /* Spells the words of the original as options of the tables: returns them, and changes
     * `*count`. NULL: a usage error. No such function: they are options of the tables already. */
    const char *const *(*spell)(struct weir_front_request *request, int *count,
                                const char *const words[], struct weir_error *error);
    /* Takes the words that stand alone, which live as long as the plan. 0, or a usage error. NULL:
     * such words are refused. */
    int (*take_words)(struct weir_front_request *request, int count, const char *const words[],
                      struct weir_error *error);
    /* What is read behind the command line, and may order something else than a run. 0, or a usage
     * error. NULL: nothing. */
    int (*read_more)(struct weir_plan *plan, struct weir_front_request *request,
                     struct weir_orders *orders, struct weir_error *error);
    /* Appends the tests that `request` asks for, and says where their results go. 0, or a usage
     * error. */
    int (*lower)(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error);
    /* What can be swept beside options by their long names; NULL: nothing. */
    const struct weir_dialect_axis *axes;
    /* Has each of `ranks` ranks do its part of `total` bytes or, if `splits_items`, items; writes
     * what all do together, in whole transfers. 0, or a usage error. NULL: no total can be split.
     */
    int (*split)(struct weir_front_request *request, uint64_t total, uint64_t ranks, uint64_t *done,
                 struct weir_error *error);
    bool splits_items;
    const struct weir_dialect_format *formats; /* the first one is the default */
    /* --compat of weir report as a style of the reporters. 0, or a usage error at `place`. NULL:
     * there is one style. */
    int (*read_style)(const char *word, const char *place, struct weir_error *error,
                      const char **style);
    /* Refuses a style that a reporter does not have. 0, or a usage error at `place`. NULL: all go
     * together. */
    int (*check_output)(const struct weir_output *output, const char *place,
                        struct weir_error *error);
    /* The part of weir compat about this dialect, in Markdown. NULL: none. */
    void (*add_compat_page)(struct weir_text *text, const struct weir_backends *backends);
};

/* The three members about the request: its type, and the member with the values of the options. */
#define WEIR_DIALECT_REQUEST(type, options)                                                        \
    .request_bytes = sizeof(type), .options_offset = offsetof(type, options),                      \
    .additions_offset = offsetof(type, additions)

/* All of them; options without a command are those of the first one. NULL ends the list. */
extern const struct weir_dialect *const weir_dialects[];

/* By name; NULL: there is none. */
const struct weir_dialect *weir_dialect_find(const char *name);

/* The dialect whose name the program was called by; NULL: none, as under the name weir. */
const struct weir_dialect *weir_dialect_of_program(const struct weir_invocation *invocation);

/* True if `orders` ask for a page in place of a plan, which `command` is to say then. */
bool weir_dialect_say(const struct weir_dialect *dialect, const struct weir_backends *backends,
                      const struct weir_orders *orders, struct weir_command *command);

/* Puts what the environment asks for before the plan's word `first`. 0, or a usage error. */
int weir_dialect_add_environment(const struct weir_dialect *dialect, struct weir_plan *plan,
                                 int first, struct weir_error *error);

/* Reads `count` words into a new request in the plan's arena, and the orders among them. NULL: a
 * usage error. */
struct weir_front_request *weir_dialect_read_request(const struct weir_dialect *dialect,
                                                     struct weir_plan *plan,
                                                     const struct weir_backends *backends,
                                                     int count, const char *const words[],
                                                     struct weir_orders *orders,
                                                     struct weir_error *error);

/* Reads a command line into `command`: a plan to run or explain, or a page. 0, or a usage error. */
int weir_dialect_read(const struct weir_dialect *dialect, const struct weir_invocation *invocation,
                      struct weir_command *command, struct weir_error *error);

/* The line that --version prints. */
void weir_front_add_version(struct weir_text *text);

#endif
