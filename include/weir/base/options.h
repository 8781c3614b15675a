/* SPDX-License-Identifier: Apache-2.0 */
/* Options as table rows: one row is what the parser, the help text, the dump and the manual
 * read. */
#ifndef WEIR_BASE_OPTIONS_H
#define WEIR_BASE_OPTIONS_H

#include "weir/base/arena.h"
#include "weir/base/error.h"
#include "weir/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a value is written and stored. */
enum weir_option_type {
    WEIR_OPTION_FLAG,         /* int64_t counter; -v -v, -vv, -v=2, key=2; below 0 is 0 */
    WEIR_OPTION_COUNT,        /* int64_t >= 0, with binary units: 1k is 1024 */
    WEIR_OPTION_SIZE,         /* int64_t >= 0, bytes, with binary units */
    WEIR_OPTION_INTEGER,      /* int64_t of either sign */
    WEIR_OPTION_MICROSECONDS, /* uint64_t nanoseconds, written in decimal microseconds */
    WEIR_OPTION_MILLISECONDS, /* uint64_t nanoseconds, written in decimal milliseconds */
    WEIR_OPTION_SECONDS,      /* uint64_t nanoseconds, written in decimal seconds */
    WEIR_OPTION_DELAY,        /* int64_t nanoseconds of either sign, written in decimal seconds */
    WEIR_OPTION_MINUTES,      /* uint64_t nanoseconds, written in decimal minutes */
    WEIR_OPTION_TEXT,         /* const char *, NULL if not given */
    WEIR_OPTION_CHOICE, /* const char *, one of the words of `choices`, stored as spelled there; or
                           an enum (or int), the number of the word from 0 on, -1 if not given */
    WEIR_OPTION_DIRECTIVES /* key=value[,key=value ...], each assigned to its own row by name */
};

/* One option. A table of rows ends with a row that has neither letter nor name. A refused row whose
 * name ends in * stands for all names that begin so and that have no row of their own. */
struct weir_option {
    char letter;      /* 0: none */
    const char *name; /* --name, and the key of -O and of scripts; matched without regard to case */
    enum weir_option_type type;
    size_t offset; /* of the value in the values struct, and ... */
    size_t bytes;  /* ... its size: WEIR_OPTION_AT has both. A flag may be a bool, and a count, a
                      size  or an integer a 32-bit one; 0: 64 bits or a pointer */
    const char *standard; /* default, as a user would write it; NULL: 0 or NULL */
    /* WEIR_OPTION_CHOICE: words with | between them, of which a unique beginning will do; with
     * "..." at the end, the first letter decides */
    const char *choices;
    const char *help; /* one sentence, lower case, no full stop */
    /* of a count, a size or an integer: other values are refused; both 0: what the member holds */
    int64_t least;
    int64_t most;
    /* not NULL: the option is known, not built, and refused with this sentence, unless its value is
     * the default: that asks for nothing */
    const char *refusal;
    /* not NULL: another name of this option, maybe of another table, which gets the value */
    const char *alias;
    /* For the compatibility page of a dialect: the oldest version of the original program that
     * knows the option, "2.10" (NULL: ours alone); how ours goes beyond the original (NULL: it does
     * the same); and what it is built with, where that is not everywhere (NULL: nothing). */
    const char *since;
    const char *better;
    const char *needs;
    char plus;       /* typed as -+n, and spelled so in help; read by a dialect (IOzone). 0: none */
    bool is_operand; /* typed as name=value, without dashes (dd); with them, too */
    bool is_list;    /* a text: given again, it is added behind a newline */
    bool is_final;   /* tables behind this one may have a row of this name, which gets no value */
    bool is_place;   /* of a backend: names a place or a way to it, which is no part of the work */
};

/* Offset and size of a member, for a row. */
#define WEIR_OPTION_AT(structure, member)                                                          \
    offsetof(structure, member), sizeof(((structure *)0)->member)

/* A table and what it is called in help ("IOR", "POSIX"). */
struct weir_option_set {
    const char *name;
    const struct weir_option *rows;
    size_t values_bytes; /* of the values struct; 0 if there are no rows */
};

/* A table together with the struct that receives its values. */
struct weir_option_binding {
    const struct weir_option_set *set;
    void *values;
};

/* Words of other programs, with | between them and without dashes, and what does the same here, as
 * "use ..." is to go on. A list ends with a row without words. */
struct weir_foreign_word {
    const char *words;
    const char *ours;
};

/* How the user typed a row's name where it got its value last: "-U", "--mpiio.hintsFileName", or as
 * a key "hintsFileName". */
struct weir_option_spelling {
    const struct weir_option *row;
    const char *typed;
    const struct weir_option_spelling *earlier;
};

/* Several tables that are searched in order; all matches of a name are assigned, as IOR does, so
 * that one
 * `--posix.odirect` can reach two backends. */
struct weir_option_parser {
    const char *place;        /* what errors begin with: "ior" */
    struct weir_arena *arena; /* receives texts */
    const struct weir_option_binding *bindings;
    size_t binding_count;
    const struct weir_foreign_word *foreign; /* NULL: none */
    /* list of spellings, the latest first, which parsing extends; NULL = not recorded */
    const struct weir_option_spelling **spellings;
};

/* Sets every value to its row's default. */
void weir_options_reset(const struct weir_option_parser *parser);

/* Parses words such as if=/dev/zero where a table has operands, -t 1m, -t=1m, -t1m, -Cge, -wWrt 1m,
 * -k=0, --name value, --name=value, -O key=value,key=value. A value word is not searched for flags.
 * 0, or the error. */
int weir_options_parse(const struct weir_option_parser *parser, int count,
                       const char *const words[], struct weir_error *error);

/* Parts the options of all tables, with their values, from words that stand alone: copies `count`
 * words to `parted`, the options first, both in their order. Returns how many of them are options.
 */
int weir_options_part(const struct weir_option_parser *parser, int count, const char *const words[],
                      const char **parted);

/* Assigns "key = value" as in -O or a script line. `key` is a row's name or, with or without its
 * dashes, an option as it would be typed ("-X", "--posix.odirect"). `place` is where it stands:
 * "ior: job.ior:12". */
int weir_options_assign(const struct weir_option_parser *parser, const char *place, const char *key,
                        const char *value, struct weir_error *error);

/* Splits "key=value,key=value" and assigns each. */
int weir_options_assign_list(const struct weir_option_parser *parser, const char *place,
                             const char *list, struct weir_error *error);

/* How the user typed the option `name`, or a letter; `otherwise` if no word or key has set it. */
const char *weir_options_spelling(const struct weir_option_parser *parser, const char *name,
                                  const char *otherwise);

/* Records that the user typed `typed` for all rows named `name`, which a dialect has assigned. */
void weir_options_spell(const struct weir_option_parser *parser, const char *name,
                        const char *typed);

/* Appends the help of one table: flags, then options with their defaults, then (if any) what is
 * refused. */
void weir_options_help(struct weir_text *text, const struct weir_option_set *set);

/* Appends the value of one row as a user would write it, in the row's own unit: "1", "64k",
 * "0.5". */
void weir_options_value(struct weir_text *text, const struct weir_option *row, const void *values);

/* True if the value differs from the row's default. */
bool weir_options_is_changed(const struct weir_option *row, const void *values);

/* The row of this name, which is matched without regard to case; NULL: there is none. `rows` may be
 * NULL. */
const struct weir_option *weir_options_find(const struct weir_option rows[], const char *name);

/* The row of an option as it is typed, with or without its value: "-t", "-t1m", "--name=value".
 * NULL: there is none. */
const struct weir_option *weir_options_find_typed(const struct weir_option rows[],
                                                  const char *word);

/* The first of these names whose row has a value that differs from its default; NULL: none. The
 * list ends with NULL. */
const char *weir_options_find_changed(const struct weir_option rows[], const void *values,
                                      const char *const names[]);

/* True if all values have the same text. */
bool weir_options_are_same(const struct weir_option_set *set, const void *values,
                           const void *others);

#endif
