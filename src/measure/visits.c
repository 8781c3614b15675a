/* SPDX-License-Identifier: Apache-2.0 */
/* What leaves the table of visits: the slowest directories are kept. */
#include "weir/measure/visits.h"

#include <stdbool.h>
#include <string.h>

/* Products of times and counts do not fit into 64 bits. */
static bool is_slower(const struct weir_visit *one, const struct weir_visit *other)
{
    return (double)one->sum_ns * (double)other->op_count >
           (double)other->sum_ns * (double)one->op_count;
}

/* A directory that came twice is there once. */
static void keep(struct weir_visits *visits, const struct weir_visit *visit)
{
    struct weir_visit *slowest = visits->slowest;
    unsigned count = visits->slowest_count, place = 0, end = 0;

    if (visit->op_count == 0 ||
        (count == WEIR_SLOW_DIRECTORIES_KEPT && !is_slower(visit, &slowest[count - 1])))
        return;
    while (place < count && !is_slower(visit, &slowest[place]))
        if (slowest[place++].directory == visit->directory)
            return;
    for (end = place; end < count && slowest[end].directory != visit->directory;)
        end++;
    if (end == WEIR_SLOW_DIRECTORIES_KEPT)
        end--;
    else if (end == count)
        visits->slowest_count++;
    memmove(&slowest[place + 1], &slowest[place], (end - place) * sizeof *slowest);
    slowest[place] = *visit;
}

void weir_visits_begin(struct weir_visits *visits, struct weir_visit *visit, uint64_t directory)
{
    keep(visits, visit);
    *visit = (struct weir_visit){.directory = directory};
}

void weir_visits_merge(struct weir_visits *visits, const struct weir_visit *visit)
{
    struct weir_visit *sum = weir_visits_at(visits, visit->directory);

    sum->op_count += visit->op_count;
    sum->sum_ns += visit->sum_ns;
    sum->max_ns = visit->max_ns > sum->max_ns ? visit->max_ns : sum->max_ns;
    sum->rank_count += visit->rank_count;
}

void weir_visits_end(struct weir_visits *visits)
{
    for (unsigned i = 0; i < WEIR_VISITS; i++)
        keep(visits, &visits->table[i]);
    memset(visits->table, 0, sizeof visits->table);
}
