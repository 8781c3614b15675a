/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the load was the one that was asked for, and what limited it: rates, depths, limits
 * of the system, and processors. */
#include "checks.h"

#include "weir/base/remedy.h"
#include "weir/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIB 1048576.0
#define KIB 1024.0

/* ---- open loops ---- */

/* The last transfer was issued by so much too late, as a share of the time in which all were due:
 * then no more than 1/1.05 of what was asked for was done, and the backlog would have grown on.
 * What is later by less than 10 ms may be one time slice that a rank lost just before its end. */
#define LAG_SHARE 0.05
#define LAG_S 0.010
/* Pauses of a rank, against the time that transfers take, ... */
#define PAUSE_S 0.001
#define PAUSE_TIMES 10.0
/* ... and against the slowest of all, a few of which may come one after another. */
#define PAUSE_TIMES_LONGEST 2.0
/* With so many slots free on average, no transfer has to wait for one. */
#define BUSY_SHARE 0.5

#define RATE_BYTES 32
static const char *format_rate(double per_s, char buffer[RATE_BYTES])
{
    snprintf(buffer, RATE_BYTES, "%.*f", per_s < 100.0 ? 2 : 0, per_s);
    return buffer;
}

static bool is_small(double seconds, const struct weir_pace_result *pace)
{
    return seconds <= LAG_S || seconds <= LAG_SHARE * pace->offered_s;
}

static bool is_sustained(const struct weir_pace_result *pace)
{
    return is_small(pace->end_lag_s, pace);
}

static double done_per_s(const struct weir_phase_result *record)
{
    double seconds = record->windows.transfer_s;

    return seconds > 0.0 ? (double)record->op_count / seconds : 0.0;
}

static void check_rate(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_pace_result *pace = &record->pace;
    double done = done_per_s(record);
    double mib_per_op = (double)record->byte_count / MIB / (double)record->op_count;
    char asked_text[RATE_BYTES];
    char done_text[RATE_BYTES];
    char asked_mib[RATE_BYTES] = "";
    char lag_text[WEIR_DURATION_TEXT_BYTES];

    if (pace->asked_per_s <= 0.0 || is_sustained(pace) ||
        is_small(pace->end_lag_s - input->stop_s, pace)) /* the stop alone explains it */
        return;
    if (weir_verb_moves_data(input->phase->verb))
        snprintf(asked_mib, sizeof asked_mib, " (%.1f MiB/s)", pace->asked_per_s * mib_per_op);
    weir_result_find(input->record, WEIR_FINDING_RATE_NOT_SUSTAINED,
                     "%s of %s %ss/s%s done, the last %s late -> a lower --rate%s",
                     format_rate(done, done_text), format_rate(pace->asked_per_s, asked_text),
                     weir_audit_unit(input), asked_mib,
                     weir_duration_format(pace->end_lag_s, lag_text),
                     input->phase->verb == WEIR_PROGRAM ? "" : ", or --depth");
}

/* As long as there are free slots none is issued late, however slow the storage is. Then the phase
 * must be much longer than the response times, or they are those of slots that fill up. Response
 * times of a phase with a stop are those of the stop, and a phase that was cut is short for another
 * reason. */
static void check_proof_of_rate(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_pace_result *pace = &record->pace;
    char asked_text[RATE_BYTES];
    char response_text[WEIR_DURATION_TEXT_BYTES];
    char offered_text[WEIR_DURATION_TEXT_BYTES];
    double response_s;

    if (pace->asked_per_s <= 0.0 || !is_sustained(pace) || !record->response ||
        record->response->total == 0 || input->stop_s > 0.0 ||
        record->outcome != WEIR_OUTCOME_COMPLETE)
        return;
    response_s = (double)weir_histogram_percentile(record->response, 0.9) / 1e9;
    if (is_small(response_s, pace))
        return;
    weir_result_find(input->record, WEIR_FINDING_RATE_NOT_SHOWN,
                     "%s %ss/s were due within %s, 10 %% done %s late -> %s, or a lower --rate",
                     format_rate(pace->asked_per_s, asked_text), weir_audit_unit(input),
                     weir_duration_format(pace->offered_s, offered_text),
                     weir_duration_format(response_s, response_text),
                     weir_audit_advice_more(input));
}

/* Transfers in flight on average, as a share of what may be (Little's law). */
static double busy_share(const struct weir_phase_result *record)
{
    double per_rank = record->pace.asked_per_s / fmax(record->rank_count, 1.0);

    return per_rank * weir_histogram_mean_ns(record->latency) / 1e9 / fmax(record->depth, 1.0);
}

/* A transfer is late for one of three reasons: all slots were taken for long, which service times
 * show as well; a slow transfer before it held its slot; or the rank did not run. Only the last is
 * not due to the storage. */
static void check_issue(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_pace_result *pace = &record->pace;
    char lag_text[WEIR_DURATION_TEXT_BYTES];
    char longest_text[WEIR_DURATION_TEXT_BYTES];
    double median_s, longest_s;

    if (pace->asked_per_s <= 0.0 || !is_sustained(pace) || !record->latency ||
        record->latency->total == 0 || input->phase->think_ns > 0 || record->depth < 2)
        return;
    median_s = (double)weir_histogram_percentile(record->latency, 0.5) / 1e9;
    longest_s = (double)record->latency->max_ns / 1e9;
    if (pace->max_lag_s <= PAUSE_S || pace->max_lag_s <= PAUSE_TIMES * median_s ||
        pace->max_lag_s <= PAUSE_TIMES_LONGEST * longest_s || busy_share(record) > BUSY_SHARE)
        return;
    weir_result_find(input->record, WEIR_FINDING_LATE_ISSUE,
                     "a %s was %s late with free slots (none took over %s) -> free CPUs",
                     weir_audit_unit(input), weir_duration_format(pace->max_lag_s, lag_text),
                     weir_duration_format(longest_s, longest_text));
}

/* ---- what the system granted ---- */

/* A finding for each sentence, which ends with its remedy. */
static void check_grants(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    const char *text = record->shortfall ? record->shortfall : "";
    char where[48] = "";

    if (record->shortfall_rank_count < record->rank_count)
        snprintf(where, sizeof where, "on %u of %u ranks, ", record->shortfall_rank_count,
                 record->rank_count);
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");

        weir_result_find(record, WEIR_FINDING_NOT_GRANTED, "%s%.*s", where, length, text);
        text += length + (text[length] == '\n');
    }
}

static void check_waiting(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;

    if (record->blocked_count > 0)
        weir_result_find(input->record, WEIR_FINDING_WOULD_BLOCK,
                         "%" PRIu64 " of %" PRIu64
                         " transfers would block and were resent -> leave nowait out",
                         record->blocked_count, record->op_count);
}

/* ---- depth ---- */

static void check_edge(const struct weir_audit_input *input)
{
    const struct weir_depth_curve *curve = &input->record->depth_curve;
    unsigned depth = input->record->depth;

    if (curve->count < 2 || depth < curve->points[curve->count - 1].depth ||
        2 * depth > WEIR_PLAN_DEPTH_MAX)
        return;
    weir_result_find(input->record, WEIR_FINDING_DEPTH_EDGE,
                     "depth %u did best and was the greatest tried -> --depth auto:%u", depth,
                     2 * depth);
}

static const struct weir_depth_point *taken_point(const struct weir_phase_result *record)
{
    const struct weir_depth_curve *curve = &record->depth_curve;

    for (unsigned i = 0; i < curve->count; i++)
        if (curve->points[i].depth == record->depth)
            return &curve->points[i];
    return NULL;
}

/* The phase did less than this of what the search has seen at the same depth. */
#define SEARCH_SHARE 0.5

static void check_search(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_depth_point *point = taken_point(record);
    double done = done_per_s(record);
    char done_text[RATE_BYTES];
    char seen_text[RATE_BYTES];

    if (!point || record->outcome != WEIR_OUTCOME_COMPLETE ||
        done >= SEARCH_SHARE * point->ops_per_s)
        return;
    weir_result_find(input->record, WEIR_FINDING_SEARCH_DIFFERS,
                     "%s %ss/s, %s in the search at depth %u -> %s, or " WEIR_REMEDY_REPETITIONS,
                     format_rate(done, done_text), weir_audit_unit(input),
                     format_rate(point->ops_per_s, seen_text), point->depth,
                     weir_audit_advice_more(input));
}

/* Without a device behind the transfers their time is that of their submission. */
/* More than this of the median time is the system call that hands a transfer over. */
#define SUBMISSION_SHARE 0.5

/* File systems give a growing file its room within the call. */
static const char *submission_advice(const struct weir_audit_input *input)
{
    if (weir_audit_uses_page_cache(input))
        return "--direct";
    return input->phase->transfers.must_replace ? "write existing files (" WEIR_REMEDY_USE_EXISTING
                                                  "), or more ranks"
                                                : "more ranks";
}

static void check_submission(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    char handing_over_text[WEIR_DURATION_TEXT_BYTES];
    char whole_text[WEIR_DURATION_TEXT_BYTES];
    double handing_over_s, whole_s;

    if (record->depth < 2 || !record->submission || record->submission->total == 0 ||
        !record->latency || !weir_audit_moves_to_storage(input))
        return;
    handing_over_s = (double)weir_histogram_percentile(record->submission, 0.5) / 1e9;
    whole_s = (double)weir_histogram_percentile(record->latency, 0.5) / 1e9;
    if (handing_over_s <= whole_s * SUBMISSION_SHARE)
        return;
    weir_result_find(input->record, WEIR_FINDING_SUBMIT_BLOCKS,
                     "submission took %s of the %s of a %s (medians) -> %s",
                     weir_duration_format(handing_over_s, handing_over_text),
                     weir_duration_format(whole_s, whole_text), weir_audit_unit(input),
                     submission_advice(input));
}

/* ---- what the devices did ---- */

/* The storage of this node, if requests to its devices are those of the phase. */
static const struct weir_storage_facts *local_devices(const struct weir_audit_input *input)
{
    const struct weir_test_result *begun = input->begun;

    if (begun->storage_count == 0 || begun->has_several_filesystems ||
        begun->storages[0].facts.is_network || begun->storages[0].facts.may_be_network ||
        begun->storages[0].facts.device_count == 0 || !weir_audit_moves_to_storage(input))
        return NULL;
    return &begun->storages[0].facts;
}

/* Fewer in flight on average than half of what was allowed. Half: filling, checking and waiting for
 * the first and the last transfers take a part of the time in every run. */
#define FLIGHT_SHARE 0.5
/* Of fewer transfers for each that may be in flight, filling and draining the queue are a large
 * part. */
#define TRANSFERS_PER_SLOT 4

/* Mean number in flight: rate times mean time (Little's law). */
static void check_depth(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    double window_s = record->rank_s_mean * record->rank_count, flying;
    bool is_few =
        record->op_count < (uint64_t)TRANSFERS_PER_SLOT * record->depth * record->rank_count;

    if (record->depth < 2 || record->latency == NULL || record->latency->total == 0 ||
        record->pace.asked_per_s > 0.0 || input->phase->think_ns > 0 ||
        input->phase->transfers.layout.listing.pauses_ns > 0 || input->stop_s > 0.0 ||
        window_s <= 0.0 || record->outcome != WEIR_OUTCOME_COMPLETE ||
        !weir_audit_moves_to_storage(input))
        return;
    flying = (double)record->latency->sum_ns * 1e-9 / window_s;
    if (flying >= FLIGHT_SHARE * record->depth)
        return;
    weir_result_find(input->record, WEIR_FINDING_DEPTH_NOT_REACHED,
                     "a rank had %.1f of %u %ss in flight on average -> %s", flying, record->depth,
                     weir_audit_unit(input),
                     is_few ? weir_audit_advice_more(input) : "use more ranks");
}

/* Queues of the mapper and of RAID pass requests on, and those of a partition are its disk's. */
static bool has_own_queue(const struct weir_device_facts *device)
{
    return !device->is_partition && strncmp(device->name, "dm-", 3) != 0 &&
           strncmp(device->name, "md", 2) != 0 && device->request_count > 0;
}

/* Requests that the first devices with queues of their own accept at a time. 0 = not known. */
static uint64_t queue_limit(const struct weir_storage_facts *storage, uint64_t ranks,
                            const struct weir_device_facts **first)
{
    uint64_t limit = 0;

    *first = NULL;
    for (uint32_t i = 0; i < storage->device_count; i++) {
        const struct weir_device_facts *device = &storage->devices[i];
        uint64_t queues = device->hardware_queues < ranks ? device->hardware_queues : ranks;
        uint64_t requests = device->request_count * (queues > 0 ? queues : 1);

        if (!has_own_queue(device) || (*first != NULL && device->level != (*first)->level))
            continue;
        if (device->queue_depth > 0 && device->queue_depth < requests)
            requests = device->queue_depth;
        limit += requests;
        if (*first == NULL)
            *first = device;
    }
    return limit;
}

static void check_queue(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_storage_facts *storage = local_devices(input);
    const struct weir_device_facts *first;
    uint64_t ranks, limit;

    if (storage == NULL || weir_audit_uses_page_cache(input) || record->depth == 0)
        return;
    ranks = (record->rank_count + record->node_count - 1) / record->node_count;
    limit = queue_limit(storage, ranks, &first);
    if (limit == 0 || ranks * record->depth <= limit)
        return;
    weir_result_find(input->record, WEIR_FINDING_QUEUE_LIMIT,
                     "%s queues %" PRIu64 " requests, and %" PRIu64
                     " x depth %u are asked for -> %s",
                     first->name, limit, ranks, record->depth,
                     limit == first->queue_depth ? "a smaller --depth" : "a greater nr_requests");
}

/* A device splits transfers above its limit, commonly 512 or 1280 KiB: no smaller requests than
 * half of that are a finding. */
#define REQUEST_BYTES (UINT64_C(512) << 10)
/* Requests that are those of the phase move about as many bytes as it. */
#define FOREIGN_SHARE 0.25
#define REQUESTS_LEAST 16

static void check_requests(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_traffic *traffic = &record->traffic;
    bool reads = input->phase->verb == WEIR_READ;
    uint64_t requests = reads ? traffic->top_reads : traffic->top_writes;
    uint64_t bytes = reads ? traffic->top_read_bytes : traffic->top_written_bytes;
    const struct weir_storage_facts *storage = local_devices(input);
    double moved = (double)record->byte_count, transfer = moved / (double)record->op_count;

    if (storage == NULL || weir_audit_uses_page_cache(input) || requests < REQUESTS_LEAST ||
        input->phase->verb == WEIR_MIXED || fabs((double)bytes - moved) > FOREIGN_SHARE * moved ||
        2.0 * (double)bytes / (double)requests > fmin(transfer, (double)REQUEST_BYTES))
        return;
    weir_result_find(input->record, WEIR_FINDING_SMALL_REQUESTS,
                     "%s got requests of %.0f KiB for transfers of %.0f KiB -> max_sectors_kb "
                     "or max_segments",
                     storage->devices[0].name, (double)bytes / (double)requests / KIB,
                     transfer / KIB);
}

/* Larger transfers are no measure of single small reads. */
#define SMALL_READ_BYTES (UINT64_C(32) << 10)
#define AHEAD_TIMES 4.0
#define SUPPLY_SHARE 0.5 /* by the device; the rest was in the page cache */
/* The device read so many times what was asked for, and so many bytes more. */
#define OVERREAD_TIMES 2.0
#define OVERREAD_LEAST_BYTES (UINT64_C(4) << 20)

static void check_read_ahead(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_traffic *traffic = &record->traffic;
    const struct weir_supply_result *supply = &record->supply;
    double moved = (double)record->byte_count, transfer = moved / (double)record->op_count;
    double supplied = (double)supply->storage_bytes, request;

    if (input->phase->verb != WEIR_READ || !weir_audit_uses_page_cache(input) ||
        supply->rank_count < record->rank_count || local_devices(input) == NULL)
        return;
    if (supplied > OVERREAD_TIMES * moved && supplied - moved > (double)OVERREAD_LEAST_BYTES) {
        weir_result_find(
            input->record, WEIR_FINDING_READ_AHEAD,
            "the device read %.1f times what was asked for -> --direct, or less read_ahead_kb",
            supplied / moved);
        return;
    }
    if (traffic->top_reads < REQUESTS_LEAST || transfer > (double)SMALL_READ_BYTES ||
        supplied < SUPPLY_SHARE * moved)
        return;
    request = (double)traffic->top_read_bytes / (double)traffic->top_reads;
    if (request < AHEAD_TIMES * transfer)
        return;
    weir_result_find(input->record, WEIR_FINDING_READ_AHEAD,
                     "read-ahead made requests of %.0f KiB of reads of %.1f KiB -> --direct",
                     request / KIB, transfer / KIB);
}

/* ---- processors ---- */

/* From this share of their time on, ranks were busy all the time. */
#define PROCESSOR_SHARE 0.95

/* A rank that polls is always busy. */
static bool is_polling(const struct weir_test *test)
{
    static const char *const settings[] = {"uring.iopoll", "uring.sqpoll"};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value = weir_test_setting(test, settings[i]);

        if (value != NULL && *value != '\0' && strcmp(value, "0") != 0)
            return true;
    }
    return false;
}

/* A rank that waits for due times, or for the end of a pause, may poll for them. */
static void check_processors(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    double window_s = record->rank_s_mean * record->rank_count;
    double busy_s = record->cpu_user_s + record->cpu_system_s;

    if (record->depth < 2 || record->pace.asked_per_s > 0.0 || input->phase->think_ns > 0 ||
        input->phase->transfers.layout.listing.pauses_ns > 0 || is_polling(input->test) ||
        record->rank_s_mean < WEIR_SHORT_PHASE_S || busy_s < PROCESSOR_SHARE * window_s ||
        !weir_audit_moves_to_storage(input))
        return;
    weir_result_find(input->record, WEIR_FINDING_CPU_BOUND,
                     "ranks used their CPUs %.0f %% of the time (%.0f %% in the kernel) -> more "
                     "ranks",
                     busy_s / window_s * 100.0, record->cpu_system_s / busy_s * 100.0);
}

/* Filling and checking data beside transfers, as a share of the ranks' time. */
#define DATA_SHARE 0.1

static void check_data_beside_transfers(const struct weir_audit_input *input)
{
    double share = input->record->overlapped_data_share;

    if (share <= DATA_SHARE)
        return;
    weir_result_find(input->record, WEIR_FINDING_DATA_IN_FLIGHT,
                     "%s data took %.0f %% of the time while transfers were %s -> more ranks%s",
                     weir_audit_activity(input), share * 100,
                     input->record->pace.asked_per_s > 0.0 ? "due" : "in flight",
                     weir_audit_data_advice(input));
}

void weir_audit_load(const struct weir_audit_input *input)
{
    check_rate(input);
    check_grants(input);
    if (input->phase->verb == WEIR_PROGRAM) /* one call at a time, as it comes to them */
        return;
    check_proof_of_rate(input);
    check_issue(input);
    check_waiting(input);
    check_edge(input);
    check_search(input);
    check_submission(input);
    check_processors(input);
    check_depth(input);
    if (weir_verb_moves_data(input->phase->verb)) {
        check_queue(input);
        check_requests(input);
        check_read_ahead(input);
    }
    check_data_beside_transfers(input);
}
