/* SPDX-License-Identifier: Apache-2.0 */
/* Which directories of trees were slow. A tree may have any number of them, so their operations are
 * counted in a table of fixed size, and of the directories that leave it the slowest are kept. */
#ifndef WEIR_MEASURE_VISITS_H
#define WEIR_MEASURE_VISITS_H

#include <stdint.h>

#define WEIR_VISITS 256
#define WEIR_SLOW_DIRECTORIES_KEPT 3

/* Operations in one directory. In the order of items they are all that a rank does there, however
 * many directories there are, and in any order if there are at most WEIR_VISITS. Else another
 * directory may take the place in the table, and a later visit counts anew. */
struct weir_visit {
    uint64_t directory;
    uint64_t op_count;
    uint64_t max_ns; /* between the two that are added to: compilers would make vectors of these */
    uint64_t sum_ns;
    uint64_t rank_count; /* whose operations these are; set when ranks are put together */
};

/* All zero: empty. */
struct weir_visits {
    struct weir_visit table[WEIR_VISITS]; /* each directory at its number modulo WEIR_VISITS */
    unsigned slowest_count;
    struct weir_visit slowest[WEIR_SLOW_DIRECTORIES_KEPT]; /* of different directories that have
                                                              left it, by their mean times */
};

/* Makes room for `directory` at `visit`. */
void weir_visits_begin(struct weir_visits *visits, struct weir_visit *visit, uint64_t directory);

static inline struct weir_visit *weir_visits_at(struct weir_visits *visits, uint64_t directory)
{
    struct weir_visit *visit = &visits->table[directory % WEIR_VISITS];

    if (__builtin_expect(visit->directory != directory, 0))
        weir_visits_begin(visits, visit, directory);
    return visit;
}

/* Counts an operation. Some ten instructions as long as the directory is in the table. */
static inline void weir_visits_add(struct weir_visits *visits, uint64_t directory, uint64_t ns)
{
    struct weir_visit *visit = weir_visits_at(visits, directory);

    visit->op_count++;
    visit->sum_ns += ns;
    if (__builtin_expect(ns > visit->max_ns, 0))
        visit->max_ns = ns;
}

/* Adds what one rank, or several, did in a directory. */
void weir_visits_merge(struct weir_visits *visits, const struct weir_visit *visit);

/* All directories leave the table: `slowest` are those of all. */
void weir_visits_end(struct weir_visits *visits);

#endif
