/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that storage targets which were measured one by one are alike. */
#include "weir/audit/audit.h"

#include "checks.h"

#include "weir/base/memory.h"
#include "weir/base/remedy.h"
#include "weir/measure/peers.h"

#include <stdlib.h>
#include <string.h>

/* With so many, others are left to the report. */
#define TOLD_MAX 16
#define MB 1e6

bool weir_audit_is_last_peer(const struct weir_plan *plan, const struct weir_phase_result *record)
{
    const struct weir_test *test = plan->tests[record->test];

    if (test->peer == NULL || record->repetition + 1 < test->repetitions)
        return false;
    for (size_t i = test->number + 1; i < plan->test_count; i++)
        if (plan->tests[i]->peer != NULL)
            return false;
    return true;
}

static void add_rate(struct weir_sums *rates, const struct weir_phase_result *record)
{
    if (record->outcome == WEIR_OUTCOME_COMPLETE && record->error_count == 0 &&
        record->windows.total_s > 0.0)
        weir_sums_add(rates, (double)record->byte_count / record->windows.total_s);
}

/* One of them, with what was measured so far. */
struct measured {
    const char *name;
    struct weir_sums bytes_per_s;
};

static struct measured *find(struct measured all[], unsigned *count, const char *name)
{
    unsigned i = 0;

    while (i < *count && strcmp(all[i].name, name) != 0)
        i++;
    if (i == *count)
        all[(*count)++] = (struct measured){.name = name};
    return &all[i];
}

/* Of one verb; as many as there are tests at most. */
static unsigned gather_all(const struct weir_plan *plan, const struct weir_result *result,
                           enum weir_verb verb, struct measured all[])
{
    unsigned count = 0;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *record = &result->phases[i];
        const char *name = plan->tests[record->test]->peer;

        if (name != NULL && weir_plan_find_phase(plan, record->test, record->phase)->verb == verb)
            add_rate(&find(all, &count, name)->bytes_per_s, record);
    }
    return count;
}

/* Without those of which no repetition was right. */
static unsigned gather(const struct weir_plan *plan, const struct weir_result *result,
                       enum weir_verb verb, struct measured all[])
{
    unsigned count = gather_all(plan, result, verb, all), kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (all[i].bytes_per_s.count > 0)
            all[kept++] = all[i];
    return kept;
}

static void tell(struct weir_phase_result *record, const char *verb, const char *name,
                 const struct weir_peers *peers, double value)
{
    enum weir_peer_verdict verdict = weir_peers_judge(peers, value);

    if (verdict == WEIR_PEER_SLOW)
        weir_result_find(
            record, WEIR_FINDING_SLOW_TARGET,
            "%s has %ss of %.1f MB/s, %.1f %% below the median of %u (usual from %.1f) "
            "-> %scheck its device",
            name, verb, value / MB, 100.0 * (1.0 - value / peers->median), peers->count,
            peers->low / MB, peers->knows_noise ? "" : WEIR_REMEDY_REPETITIONS " 3, then ");
    else if (verdict == WEIR_PEER_FAST)
        weir_result_find(record, WEIR_FINDING_FAST_TARGET,
                         "%s has %ss of %.1f MB/s, %.1f %% above the median of %u", name, verb,
                         value / MB, 100.0 * (value / peers->median - 1.0), peers->count);
}

/* ---- targets on one disk ---- */

/* True if both are on one file system of their own node, or on file systems that have a disk in
 * common. Network file systems are one for all targets, and say nothing of what is behind them. */
static bool share_storage(const struct weir_storage_group *one,
                          const struct weir_storage_group *other)
{
    const struct weir_storage_facts *a = &one->facts, *b = &other->facts;

    if (!weir_storage_is_local(a) || !weir_storage_is_local(b) ||
        strcmp(one->hosts, other->hosts) != 0)
        return false;
    if (strcmp(a->mount_point, b->mount_point) == 0)
        return true;
    for (uint32_t i = 0; i < a->device_count; i++)
        for (uint32_t k = 0; k < b->device_count; k++)
            if (strcmp(a->devices[i].name, b->devices[k].name) == 0)
                return true;
    return false;
}

/* True if rank 0 finds both in one directory, or on one local file system: bind mounts of a tmpfs
 * have other mount points and no disk. */
static bool is_same_place(const struct weir_test_result *one, const struct weir_test_result *other)
{
    const struct weir_filesystem_facts *a = &one->filesystem, *b = &other->filesystem;
    bool is_local = one->storage_count > 0 && weir_storage_is_local(&one->storages[0].facts);

    return a->device != 0 && a->device == b->device && (is_local || a->inode == b->inode);
}

static bool are_on_one_disk(const struct weir_test_result *one,
                            const struct weir_test_result *other)
{
    if (is_same_place(one, other))
        return true;
    for (unsigned i = 0; i < one->storage_count; i++)
        for (unsigned k = 0; k < other->storage_count; k++)
            if (share_storage(&one->storages[i], &other->storages[k]))
                return true;
    return false;
}

/* The rates of all targets together are not the sum of those of each. */
static void check_shared_storage(const struct weir_plan *plan, const struct weir_result *result,
                                 struct weir_phase_result *record)
{
    const struct weir_test_result *first = NULL;
    const char *names[2] = {NULL, NULL};
    unsigned more = 0;

    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test_result *one = &result->tests[i];
        const char *name = plan->tests[one->test]->peer;

        for (unsigned k = 0; name != NULL && k < i; k++) {
            const struct weir_test_result *earlier = &result->tests[k];

            const char *other = plan->tests[earlier->test]->peer;

            /* Rounds of one target are tests of the same name. */
            if (other == NULL || strcmp(other, name) == 0 || !are_on_one_disk(earlier, one))
                continue;
            if (first == NULL) {
                first = earlier;
                names[0] = other;
                names[1] = name;
            } else {
                more++;
            }
            break;
        }
    }
    if (first != NULL)
        weir_result_find(record, WEIR_FINDING_SHARED_TARGET,
                         "%s and %s%s are on one disk or file system (%s) -> a directory on each",
                         names[0], names[1], more > 0 ? ", and others," : "",
                         first->storages[0].facts.source);
}

void weir_audit_peers(const struct weir_plan *plan, const struct weir_result *result,
                      struct weir_phase_result *record)
{
    const enum weir_verb verb = weir_plan_find_phase(plan, record->test, record->phase)->verb;
    struct measured *all;
    struct weir_peer *rates;
    double *work;
    unsigned count;
    struct weir_peers peers;

    if (!weir_verb_moves_data(verb) || !weir_audit_is_last_peer(plan, record))
        return;
    all = weir_memory_grow(NULL, plan->test_count * sizeof *all);
    count = gather(plan, result, verb, all);
    rates = weir_memory_grow(NULL, (count + 1) * sizeof *rates);
    work = weir_memory_grow(NULL, (count + 1) * sizeof *work);
    for (unsigned i = 0; i < count; i++) {
        const struct weir_sums *sums = &all[i].bytes_per_s;

        rates[i] = (struct weir_peer){sums->sum / sums->count, weir_sums_stddev(sums)};
    }
    check_shared_storage(plan, result, record);
    peers = weir_peers_of(rates, count, work);
    /* Fast ones are only notes: they leave slow ones their place. */
    for (unsigned k = 0, told = 0; k < 2 * count && told < TOLD_MAX; k++) {
        unsigned i = k % count;

        if (weir_peers_judge(&peers, rates[i].mean) ==
            (k < count ? WEIR_PEER_SLOW : WEIR_PEER_FAST)) {
            tell(record, weir_verb_name(verb), all[i].name, &peers, rates[i].mean);
            told++;
        }
    }
    free(work);
    free(rates);
    free(all);
}

void weir_audit_peers_anew(const struct weir_plan *plan, const struct weir_result *result,
                           struct weir_phase_result *record)
{
    weir_result_forget(record, WEIR_FINDING_SLOW_TARGET);
    weir_result_forget(record, WEIR_FINDING_FAST_TARGET);
    weir_result_forget(record, WEIR_FINDING_SHARED_TARGET);
    weir_audit_peers(plan, result, record);
}
