/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of iozone's lowering: one command line on its way to its tests. */
#ifndef WEIR_FRONT_IOZONE_LOWERING_H
#define WEIR_FRONT_IOZONE_LOWERING_H

#include "common_lowering.h"
#include "options.h"

/* The options among these names that were given, as typed: "-n, -y". */
#define GIVEN(lowering, ...)                                                                       \
    weir_lower_given(&(lowering)->base, &weir_iozone_option_set, (lowering)->config,               \
                     (const char *const[]){__VA_ARGS__, NULL})

/* Sizes or counts, in the order of the command line. */
struct weir_iozone_list {
    uint64_t *values;
    size_t count;
};

/* A list of transfers, as layouts have it. */
struct weir_iozone_telemetry {
    struct weir_listing listing;
    uint64_t bytes, largest; /* of all, and of one */
};

/* Which backend the tests of a part go through. */
enum weir_iozone_part {
    WEIR_IOZONE_MAIN,   /* tests 0 to 5 and 8; throughput mode: 9 and 10 too */
    WEIR_IOZONE_STREAM, /* tests 6 and 7 */
    WEIR_IOZONE_PLACED, /* single mode: tests 9 and 10 */
    WEIR_IOZONE_PARTS
};

/* All tests that one command line makes, and the one that is being made. */
struct weir_iozone_lowering {
    struct weir_lowering base;
    const struct weir_iozone_request *request;
    const struct weir_iozone_config *config;
    bool is_throughput;
    bool is_auto;
    unsigned selected; /* bit n: test n */
    struct weir_iozone_list sizes, records, counts;
    struct weir_iozone_telemetry writes, reads; /* -X, -Y */
    const char *const *paths;                   /* of exact names */
    size_t path_count;
    const char *const *directories; /* of children, of -+m; NULL: the working directory */
    /* of the row that is being made */
    uint64_t children, file_bytes, record_bytes;
    struct weir_payload payload;
    const struct weir_target *target;
    struct weir_text words; /* what its phases are, for the report */
};

/* Splits a text at its separators, appends one value each. 0, or a usage error that names
 * `option`. */
int weir_iozone_read_sizes(const struct weir_iozone_lowering *lowering, const char *option,
                           const char *text, struct weir_iozone_list *list);
int weir_iozone_read_counts(const struct weir_iozone_lowering *lowering, const char *option,
                            const char *text, struct weir_iozone_list *list);

/* Bytes; without a unit `text` is in kilobytes. 0, or -EINVAL. */
int weir_iozone_size_parse(const char *text, uint64_t *bytes);

/* Number of pieces, and each of them, which `arena` owns. */
size_t weir_iozone_split(struct weir_arena *arena, const char *text, const char *const **pieces);

/* Fills in mode, sizes, records, counts and selected tests. 0, or a usage error. */
int weir_iozone_lower_sizes(struct weir_iozone_lowering *lowering);

/* True if -n, -g, -y or -q is given. */
bool weir_iozone_has_bounds(const struct weir_iozone_config *config);

/* Reads the lists of -X and -Y, and fills in the size of the file if they say it. 0, or a usage
 * error. */
int weir_iozone_lower_telemetry(struct weir_iozone_lowering *lowering);

/* -a skips small records of large files, and records that are larger than the file. */
bool weir_iozone_is_skipped(const struct weir_iozone_lowering *lowering, uint64_t file_bytes,
                            uint64_t record_bytes);

/* Fills in the paths of the files, and the order of ranks if there is a list of hosts. `most` is
 * the greatest number of children, and grows to the lines of the list if it is 0. 0, or a usage
 * error. */
int weir_iozone_lower_files(struct weir_iozone_lowering *lowering, uint64_t most);

/* Whether the row has tests of this part. */
bool weir_iozone_has_part(const struct weir_iozone_lowering *lowering, enum weir_iozone_part part);

/* Whether the first child that is done stops the others: not with -x, and not where a rate or a
 * search for a depth says when a phase ends. The load must be known. */
bool weir_iozone_has_wall(const struct weir_iozone_lowering *lowering);

/* Appends the phases of the part; removes the files behind them if it is the last part. */
void weir_iozone_lower_phases(struct weir_iozone_lowering *lowering, enum weir_iozone_part part,
                              bool is_last);

/* Appends the tests that `request` asks for, and says where their results go. 0, or a usage
 * error. */
int weir_iozone_lower(struct weir_plan *plan, const struct weir_iozone_request *request,
                      struct weir_error *error);

/* --compat as a style of the reporters. 0, or a usage error at `place`. */
int weir_iozone_read_style(const char *word, const char *place, struct weir_error *error,
                           const char **style);

/* Spells IOzone's words as options of the tables. */
const char *const *weir_iozone_spell(struct weir_front_request *request, int *count,
                                     const char *const words[], struct weir_error *error);

/* Lines of a file of host list or names; NULL and a usage error if it cannot be read. */
const char *weir_iozone_read_file(const struct weir_iozone_lowering *lowering, const char *option,
                                  const char *path);

/* The page docs/compat-iozone.md. */
void weir_iozone_compat_page(struct weir_text *text, const struct weir_backends *backends);

#endif
