/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that one number stands for all repetitions of a phase and for all of its time, and that
 * its devices worked for this job alone. */
#include "weir/audit/audit.h"

#include "checks.h"

#include "weir/base/memory.h"
#include "weir/base/observable.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

/* ---- over repetitions ---- */

/* (greatest - least) / mean of the rates: repetitions on quiet file systems differ by 5 to 15 %. */
#define SPREAD_SHARE 0.3
/* The first repetition differs from the mean of the others by so much, and by more than these
 * differ among themselves. Of 2 repetitions, either may be the odd one. */
#define WARM_UP_SHARE 0.2
#define WARM_UP_LEAST 3

/* The rates of the repetitions of a phase, or of a storage target. */
struct rates {
    const char *peer; /* NULL = the phase */
    double first;
    struct weir_sums all, others; /* all repetitions; all but the first */
    struct weir_sums seconds;
    bool was_disturbed; /* ranks waited for a CPU in one of them */
};

static void add_rate(struct rates *rates, const struct weir_phase_result *record, bool moves_data)
{
    double amount = (double)(moves_data ? record->byte_count : record->op_count);

    if (record->outcome != WEIR_OUTCOME_COMPLETE || record->error_count > 0 ||
        record->windows.total_s <= 0.0 || amount <= 0.0)
        return;
    amount /= record->windows.total_s;
    if (rates->all.count == 0)
        rates->first = amount;
    else
        weir_sums_add(&rates->others, amount);
    weir_sums_add(&rates->all, amount);
    weir_sums_add(&rates->seconds, record->windows.total_s);
    rates->was_disturbed |= weir_audit_has_finding(record, WEIR_FINDING_CPU_PRESSURE, WEIR_INFORM);
}

/* Repetitions of which sums alone are kept come after those that have a record. */
static void add_history(struct rates *rates, const struct weir_phase_history *history,
                        bool moves_data)
{
    const struct weir_sums *sums = moves_data ? &history->bytes_per_s : &history->ops_per_s;

    if (rates->all.count == 0)
        return;
    weir_sums_merge(&rates->all, sums, 1.0);
    weir_sums_merge(&rates->others, sums, 1.0);
    weir_sums_merge(&rates->seconds, &history->total_s, 1.0);
}

/* The repetitions of the phase of `record`, or of the same verb on the target `peer`. */
static struct rates gather_rates(const struct weir_plan *plan, const struct weir_result *result,
                                 const struct weir_phase_result *record, const char *peer)
{
    const struct weir_phase *phase = weir_plan_find_phase(plan, record->test, record->phase);
    bool moves_data = weir_verb_moves_data(phase->verb);
    const struct weir_phase_history *history =
        weir_result_history(result, record->test, record->phase);
    struct rates rates = {.peer = peer};

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *one = &result->phases[i];
        const char *name = plan->tests[one->test]->peer;
        bool is_same = one->test == record->test && one->phase == record->phase;

        if (peer != NULL)
            is_same = name != NULL && strcmp(name, peer) == 0 &&
                      weir_plan_find_phase(plan, one->test, one->phase)->verb == phase->verb;
        if (is_same)
            add_rate(&rates, one, moves_data);
    }
    if (peer == NULL && history != NULL)
        add_history(&rates, history, moves_data);
    return rates;
}

static double share_of(const struct weir_sums *sums)
{
    return sums->count > 1 ? (sums->max - sums->min) * sums->count / sums->sum : 0.0;
}

/* "11.8 to 26.9 MiB/s" */
static void format_range(const struct rates *rates, bool moves_data, char text[64])
{
    double unit = moves_data ? MIB : 1.0;

    snprintf(text, 64, "%.4g to %.4g %s", rates->all.min / unit, rates->all.max / unit,
             moves_data ? "MiB/s" : "ops/s");
}

static bool has_warm_up(const struct rates *rates)
{
    double mean = rates->others.count > 0 ? rates->others.sum / rates->others.count : 0.0;
    double distance = fmax(rates->others.min - rates->first, rates->first - rates->others.max);

    return rates->all.count >= WARM_UP_LEAST && fabs(rates->first / mean - 1.0) >= WARM_UP_SHARE &&
           distance > rates->others.max - rates->others.min;
}

static void judge_rates(struct weir_phase_result *record, const struct rates *rates,
                        bool moves_data)
{
    const char *of = rates->peer != NULL ? " of " : "", *name = rates->peer ? rates->peer : "";
    double unit = moves_data ? MIB : 1.0;
    unsigned before = record->finding_count;
    char range[64];

    format_range(rates, moves_data, range);
    if (has_warm_up(rates))
        weir_result_find(record, WEIR_FINDING_WARM_UP,
                         "the first repetition%s%s had %.4g, the %u others %.4g %s on average -> "
                         "leave it out",
                         of, name, rates->first / unit, rates->others.count,
                         rates->others.sum / rates->others.count / unit,
                         moves_data ? "MiB/s" : "ops/s");
    if (share_of(&rates->all) >= SPREAD_SHARE)
        weir_result_find(record, WEIR_FINDING_SPREAD,
                         "%u repetitions%s%s differ by %.0f %% (%s) -> more of them "
                         "(" WEIR_REMEDY_REPETITIONS ")",
                         rates->all.count, of, name, 100.0 * share_of(&rates->all), range);
    for (unsigned i = before; i < record->finding_count && rates->was_disturbed; i++)
        record->findings[i].explained_by = weir_finding_rows[WEIR_FINDING_CPU_PRESSURE].name;
}

/* The target whose repetitions differ the most. Targets take turns: the first turn names all. */
static struct rates find_worst_peer(const struct weir_plan *plan, const struct weir_result *result,
                                    const struct weir_phase_result *record)
{
    struct rates worst = {0};
    const char *first = NULL;

    for (size_t i = 0; i < plan->test_count; i++) {
        const char *name = plan->tests[i]->peer;
        struct rates rates;

        if (name == NULL)
            continue;
        if (first != NULL && strcmp(name, first) == 0)
            break;
        first = first != NULL ? first : name;
        rates = gather_rates(plan, result, record, name);
        if (share_of(&rates.all) > share_of(&worst.all))
            worst = rates;
    }
    return worst;
}

/* Executions of a label on one rank are its repetitions; of the ranks the one counts on which they
 * differ the least. Events are sorted by rank. Short executions differ by the time of their start.
 */
static void judge_labels(struct weir_phase_result *record,
                         const struct weir_program_result *program)
{
    const size_t bytes = (program->label_count + 1) * sizeof(struct weir_sums);
    struct weir_sums *of_rank = memset(weir_memory_grow(NULL, bytes), 0, bytes);
    struct weir_sums *least = memset(weir_memory_grow(NULL, bytes), 0, bytes);
    unsigned worst = program->label_count;

    for (uint64_t k = 0; k < program->event_count; k++) {
        const struct weir_program_event *event = &program->events[k];
        bool is_last = k + 1 == program->event_count || event[1].rank != event->rank;

        if (event->label < program->label_count && event->seconds > 0.0)
            weir_sums_add(&of_rank[event->label], event->byte_count > 0
                                                      ? (double)event->byte_count / event->seconds
                                                      : 1.0 / event->seconds);
        for (unsigned i = 0; is_last && i < program->label_count; i++) {
            if (of_rank[i].count > 1 &&
                (least[i].count == 0 || share_of(&of_rank[i]) < share_of(&least[i])))
                least[i] = of_rank[i];
            of_rank[i] = (struct weir_sums){0};
        }
    }
    for (unsigned i = 0; i < program->label_count; i++)
        if (program->labels[i].duration != NULL &&
            weir_histogram_mean_ns(program->labels[i].duration) / 1e9 >= WEIR_SHORT_PHASE_S &&
            share_of(&least[i]) >= SPREAD_SHARE &&
            (worst == program->label_count || share_of(&least[i]) > share_of(&least[worst])))
            worst = i;
    if (worst < program->label_count)
        weir_result_find(record, WEIR_FINDING_SPREAD,
                         "%u executions of \"%.30s\" by one rank differ by %.0f %% -> more of them",
                         least[worst].count, program->labels[worst].name,
                         100.0 * share_of(&least[worst]));
    free(least);
    free(of_rank);
}

void weir_audit_repetitions(const struct weir_plan *plan, const struct weir_result *result,
                            struct weir_phase_result *record)
{
    const struct weir_test *test = plan->tests[record->test];
    const struct weir_phase *phase = weir_plan_find_phase(plan, record->test, record->phase);
    struct rates rates = {0};

    if (phase->is_check || phase->is_prefill || test->is_dry_run ||
        (weir_verb_works_on_names(phase->verb) && !weir_verb_works_on_trees(phase->verb)) ||
        record->repetition + 1 < test->repetitions)
        return;
    /* A record that is kept from an earlier run may have been compared with others. */
    if (weir_audit_has_finding(record, WEIR_FINDING_SPREAD, WEIR_INFORM) ||
        weir_audit_has_finding(record, WEIR_FINDING_WARM_UP, WEIR_INFORM)) {
        weir_result_forget(record, WEIR_FINDING_SPREAD);
        weir_result_forget(record, WEIR_FINDING_WARM_UP);
    }
    if (test->peer == NULL)
        rates = gather_rates(plan, result, record, NULL);
    else if (weir_audit_is_last_peer(plan, record))
        rates = find_worst_peer(plan, result, record);
    /* Phases that are over at once differ by chance, which "short" explains where it is raised. */
    if (rates.all.count > 1 && (rates.seconds.sum >= WEIR_SHORT_PHASE_S * rates.all.count ||
                                weir_audit_has_finding(record, WEIR_FINDING_SHORT, WEIR_INFORM)))
        judge_rates(record, &rates, weir_verb_moves_data(phase->verb));
    if (record->program != NULL)
        judge_labels(record, record->program);
}

/* ---- over the time of a phase ---- */

/* A rate that rises or falls by so much from the first to the last third of so long a phase, ... */
#define TREND_SHARE 0.2
#define TREND_LEAST_S 3.0
/* ... in which the order of the parts is no chance: |z| of the test of Mann and Kendall for p < 1
 * %. Parts of a tenth of a second and longer: shorter ones depend on those before them. */
#define TREND_PARTS 30
#define TREND_Z 2.576
/* Stops that come back: parts with less than a quarter of what a busy part has, ... */
#define LOW_SHARE 0.25
#define PARTS_MAX 256
/* ... so many transfers and seconds long that transfers which end at one time make no such part,
 * ... */
#define PART_OPS 4.0
#define PART_LEAST_S 0.02
/* ... four of them and more, whose distances differ by less than a quarter of their mean (of four
 * by less than 15 %: chance gives either in 3 % of all such phases), and a part of the time that
 * matters. */
#define PERIODS_LEAST 4
#define PERIOD_SPREAD 0.25
#define PERIOD_SPREAD_OF_FEW 0.15
#define LOST_SHARE 0.05

/* The time in which all ranks transferred, in parts of equal length. */
struct profile {
    unsigned count;
    double part_s;
    double work[PARTS_MAX]; /* bytes, or operations on trees */
};

/* Ranks end at different times, and their syncs, which move nothing, belong to their transfers: the
 * longest sync is taken from the earliest end. */
static struct profile profile_of(const struct weir_audit_input *input, unsigned part_count)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_series *series = record->series;
    bool moves_data = weir_verb_moves_data(input->phase->verb);
    int64_t begin_ns = 0, end_ns = (int64_t)series->used << series->shift, last_ns = 0;
    struct profile profile = {0};
    int64_t first, intervals;

    for (unsigned i = 0; record->rows != NULL && i < record->rank_count; i++) {
        const int64_t *stamps = record->rows[i].stamps_ns;

        if (record->rows[i].op_count == 0)
            continue;
        begin_ns =
            stamps[WEIR_STAMP_MOVE_START] > begin_ns ? stamps[WEIR_STAMP_MOVE_START] : begin_ns;
        last_ns = stamps[WEIR_STAMP_MOVE_STOP] > last_ns ? stamps[WEIR_STAMP_MOVE_STOP] : last_ns;
    }
    for (unsigned i = 0; record->rows != NULL && i < record->rank_count; i++) {
        int64_t stop_ns = record->rows[i].stamps_ns[WEIR_STAMP_MOVE_STOP];
        int64_t sync_ns = last_ns - ((int64_t)series->used << series->shift);

        stop_ns -= sync_ns > 0 ? sync_ns : 0;
        if (record->rows[i].op_count > 0 && stop_ns < end_ns)
            end_ns = stop_ns;
    }
    first = (begin_ns >> series->shift) + 1;
    intervals = (end_ns >> series->shift) - first;
    if (intervals < part_count)
        part_count = intervals > 0 ? (unsigned)intervals : 0;
    if (part_count == 0)
        return profile;
    intervals /= part_count;
    profile.count = part_count;
    profile.part_s = (double)intervals * (double)(UINT64_C(1) << series->shift) / 1e9;
    for (int64_t i = 0; i < intervals * part_count; i++)
        profile.work[i / intervals] +=
            (double)(moves_data ? series->bytes[first + i] : series->ops[first + i]);
    return profile;
}

static double sum_of(const double values[], unsigned count)
{
    double sum = 0.0;

    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* The normal deviate of the number of pairs in order, less those in the opposite order. */
static double mann_kendall(const double values[], unsigned count)
{
    double n = count, score = 0.0;

    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            score += (values[i] > values[k]) - (values[i] < values[k]);
    score -= score > 0.0 ? 1.0 : score < 0.0 ? -1.0 : 0.0;
    return score / sqrt(n * (n - 1.0) * (2.0 * n + 5.0) / 18.0);
}

static void check_trend(const struct weir_audit_input *input)
{
    struct profile profile = profile_of(input, TREND_PARTS);
    double first = sum_of(profile.work, TREND_PARTS / 3);
    double last = sum_of(&profile.work[TREND_PARTS - TREND_PARTS / 3], TREND_PARTS / 3);
    double change = first > 0.0 ? last / first - 1.0 : 0.0;
    char length[WEIR_DURATION_TEXT_BYTES];

    if (profile.count < TREND_PARTS || profile.count * profile.part_s < TREND_LEAST_S ||
        fmin(first, last) > (1.0 - TREND_SHARE) * fmax(first, last) ||
        fabs(mann_kendall(profile.work, TREND_PARTS)) < TREND_Z)
        return;
    weir_result_find(input->record, WEIR_FINDING_TREND,
                     "the rate %s by %.0f %% from the first to the last third of %s -> a longer "
                     "phase",
                     change > 0.0 ? "rose" : "fell", 100.0 * fabs(change),
                     weir_duration_format(profile.count * profile.part_s, length));
}

static int compare_values(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

/* Stalls of `least` parts and longer: throttled transfers come in bursts, between which single
 * parts are low. True if they came back at one distance. */
static bool find_periods(const struct weir_audit_input *input, const struct profile *profile,
                         unsigned least)
{
    double sorted[PARTS_MAX], begin = 0.0, limit, period;
    char length[WEIR_DURATION_TEXT_BYTES];
    struct weir_sums gaps = {0};
    unsigned lost = 0, count = 0, end;

    memcpy(sorted, profile->work, sizeof sorted);
    qsort(sorted, profile->count, sizeof *sorted, compare_values);
    limit = LOW_SHARE * sorted[profile->count * 9 / 10];
    for (unsigned i = 0; i < profile->count; i = end + 1) {
        for (end = i; end < profile->count && profile->work[end] < limit; end++)
            ;
        if (end - i < least)
            continue;
        lost += end - i;
        if (count++ > 0)
            weir_sums_add(&gaps, i - begin);
        begin = i;
    }
    period = gaps.count > 0 ? gaps.sum / gaps.count : 0.0;
    if (count < PERIODS_LEAST || period < 3.0 || lost < LOST_SHARE * profile->count ||
        weir_sums_stddev(&gaps) >
            period * (count == PERIODS_LEAST ? PERIOD_SPREAD_OF_FEW : PERIOD_SPREAD))
        return false;
    weir_result_find(input->record, WEIR_FINDING_PERIODIC_STALLS,
                     "%u stalls, one every %s, took %.0f %% of the time -> look for flushes and "
                     "timers",
                     count, weir_duration_format(period * profile->part_s, length),
                     100.0 * lost / profile->count);
    return true;
}

static void check_periods(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    double least_ops = PART_OPS * record->rank_count * fmax(record->depth, 1.0);
    double parts =
        fmin(record->windows.transfer_s / PART_LEAST_S, (double)record->op_count / least_ops);
    struct profile profile = profile_of(input, (unsigned)fmin(parts, PARTS_MAX));

    if (profile.count >= 4 * PERIODS_LEAST && !find_periods(input, &profile, 1))
        find_periods(input, &profile, 2);
}

/* Pauses that the plan asks for make any rate and any period. */
void weir_audit_course(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_phase *phase = input->phase;

    if (input->test->is_dry_run || record->series == NULL || record->op_count == 0 ||
        record->outcome != WEIR_OUTCOME_COMPLETE || phase->think_ns > 0 || phase->think_ppm > 0 ||
        phase->transfers.layout.listing.longest_pause_ns > 0 || record->pace.asked_per_s > 0.0)
        return;
    check_trend(input);
    check_periods(input);
}

/* ---- parts of the storage ---- */

/* The node that sees the most failed parts describes them. */
void weir_audit_degraded(const struct weir_audit_input *input)
{
    const struct weir_storage_facts *facts = NULL;
    uint32_t failed_before = 0, failed = input->record->traffic.failed_count;

    for (unsigned i = 0; i < input->begun->storage_count; i++)
        if (facts == NULL || input->begun->storages[i].facts.failed_count > facts->failed_count)
            facts = &input->begun->storages[i].facts;
    if (facts != NULL)
        failed_before = facts->failed_count;
    if (input->record->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (failed > failed_before)
        weir_result_find(
            input->record, WEIR_FINDING_DEGRADED,
            "failed parts of the storage rose from %u to %u during the test -> repair it",
            failed_before, failed);
    else if (failed_before > 0)
        weir_result_find(input->record, WEIR_FINDING_DEGRADED,
                         "%u of the storage's %u %ss %s failed -> repair it", failed_before,
                         facts->part_count, facts->part_kind, failed_before == 1 ? "has" : "have");
}

/* ---- others on our devices ---- */

/* Bytes of others that count: so much, and such a share of what this job moved. */
#define FOREIGN_BYTES (UINT64_C(32) << 20)
#define FOREIGN_PORT_BYTES (UINT64_C(64) << 20)
#define FOREIGN_SHARE 0.3
/* Metadata that a synced operation may write: a few nodes of 16 KiB, twice (btrfs). */
#define SYNC_BYTES (UINT64_C(256) << 10)
#define NAME_BYTES (UINT64_C(16) << 10)
#define BLOCK_BYTES 4096

/* Lowest devices of the storage; of mirrors and parity each may have all that is written. */
static unsigned count_copies(const struct weir_storage_facts *facts, const char **name)
{
    unsigned lowest = 0;

    for (uint32_t i = 0; i < facts->device_count; i++) {
        const struct weir_device_facts *device = &facts->devices[i];

        if (strcmp(device->model, "raid0") == 0 || strcmp(device->model, "linear") == 0)
            return 1;
        if (i + 1 < facts->device_count && device[1].level > device->level)
            continue;
        *name = lowest++ == 0 ? device->name : *name;
    }
    return lowest > 0 ? lowest : 1;
}

/* Bytes that a phase may have read from devices, and written to them. */
static void count_own(const struct weir_audit_input *input, double *read, double *written)
{
    const struct weir_transfers *transfers = &input->phase->transfers;
    double ops = (double)input->record->op_count, bytes = (double)input->record->byte_count;

    if (!weir_verb_moves_data(input->phase->verb)) {
        *read = bytes + ops * NAME_BYTES;
        *written = bytes + ops * (weir_verb_works_on_trees(input->phase->verb) &&
                                          !input->phase->names.must_sync
                                      ? NAME_BYTES
                                      : SYNC_BYTES);
        return;
    }
    *written = (double)weir_audit_written_bytes(input);
    *read = bytes - *written;
    if (transfers->must_sync_each)
        *written += ops * SYNC_BYTES;
    /* Part of a block is read before it is written. */
    if (transfers->layout.transfer_bytes % BLOCK_BYTES != 0)
        *read += 2.0 * ops * BLOCK_BYTES;
}

/* What earlier phases of this run left in memory may be written in this one. */
static double count_left(const struct weir_plan *plan, const struct weir_result *result,
                         const struct weir_phase_result *record)
{
    double left = 0.0, read, written;

    for (unsigned i = 0; i < result->phase_count && &result->phases[i] != record; i++) {
        struct weir_phase_result *one = &result->phases[i];
        const struct weir_audit_input input = {
            .plan = plan,
            .test = plan->tests[one->test],
            .phase = weir_plan_find_phase(plan, one->test, one->phase),
            .record = one};

        count_own(&input, &read, &written);
        left = fmax(left + written - (double)one->traffic.device_written_bytes, 0.0);
    }
    return left;
}

static void check_devices(const struct weir_audit_input *input, const struct weir_result *result)
{
    const struct weir_storage_facts *facts = &input->begun->storages[0].facts;
    const struct weir_traffic *traffic = &input->record->traffic;
    const char *name = facts->source;
    double copies = count_copies(facts, &name), read, written, foreign;
    char others[WEIR_SIZE_TEXT_BYTES], own[WEIR_SIZE_TEXT_BYTES];

    /* Dirty pages of a loop device's file are written back whenever the kernel likes. */
    if (weir_storage_buffered_loop(facts) != NULL)
        return;
    count_own(input, &read, &written);
    /* How much was read ahead is unknown: all reads of the devices count as the job's. */
    if (!input->record->bypasses_cache)
        read = (double)traffic->device_read_bytes;
    if (strstr(facts->options, "data=journal") != NULL)
        copies *= 2.0;
    foreign = fmax((double)traffic->device_read_bytes - read, 0.0);
    if ((double)traffic->device_written_bytes > copies * written)
        foreign += fmax((double)traffic->device_written_bytes -
                            copies * (written + count_left(input->plan, result, input->record)),
                        0.0);
    if (foreign < (double)FOREIGN_BYTES || foreign < FOREIGN_SHARE * (read + copies * written))
        return;
    weir_result_find(input->record, WEIR_FINDING_FOREIGN_IO,
                     "others moved %s on %s, this job %s -> a time when it is idle",
                     weir_size_format((uint64_t)foreign, others), name,
                     weir_size_format(input->record->byte_count, own));
}

/* Clients that send a copy to each server, ranks that exchange data before they write, and
 * read-ahead of transfers that are not sequential make traffic of their own. */
static void check_ports(const struct weir_audit_input *input)
{
    const struct weir_storage_facts *facts = &input->begun->storages[0].facts;
    const struct weir_traffic *traffic = &input->record->traffic;
    uint64_t written = weir_audit_written_bytes(input), bytes = input->record->byte_count;
    double sent = (double)traffic->network_sent_bytes;
    double received = (double)traffic->network_received_bytes, foreign;
    char others[WEIR_SIZE_TEXT_BYTES], own[WEIR_SIZE_TEXT_BYTES];

    if (!weir_verb_moves_data(input->phase->verb) || strstr(facts->type, "gluster") != NULL ||
        strcmp(input->test->backend->name, "mpiio") == 0 ||
        input->phase->transfers.layout.order != WEIR_ORDER_SEQUENTIAL)
        return;
    foreign = fmax(sent - (double)written, 0.0) + fmax(received - (double)(bytes - written), 0.0);
    if (foreign < (double)FOREIGN_PORT_BYTES || foreign < FOREIGN_SHARE * (double)bytes)
        return;
    weir_result_find(input->record, WEIR_FINDING_FOREIGN_IO,
                     "others moved %s through the network ports, this job %s -> a quiet network",
                     weir_size_format((uint64_t)foreign, others), weir_size_format(bytes, own));
}

void weir_audit_neighbours(const struct weir_plan *plan, const struct weir_result *result,
                           const struct weir_test_result *begun, struct weir_phase_result *record)
{
    const struct weir_audit_input input = {
        .plan = plan,
        .test = plan->tests[record->test],
        .phase = weir_plan_find_phase(plan, record->test, record->phase),
        .begun = begun,
        .record = record};

    if (begun->storage_count == 0 || begun->has_several_filesystems || record->op_count == 0)
        return;
    if (record->traffic.has_devices && !begun->storages[0].facts.is_network)
        check_devices(&input, result);
    else if (record->traffic.has_network)
        check_ports(&input);
}
