/* SPDX-License-Identifier: Apache-2.0 */
/* Many repetitions of a phase as one. */
#include "weir/measure/result.h"

#include <math.h>

static void merge_histogram(struct weir_histogram *whole, const struct weir_histogram *row)
{
    if (row)
        weir_histogram_merge(whole, row);
}

static void merge_histograms(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    merge_histogram(whole->latency, row->latency);
    merge_histogram(whole->response, row->response);
    merge_histogram(whole->write_latency, row->write_latency);
    merge_histogram(whole->read_latency, row->read_latency);
}

/* Those of a cycle, which are the same in each repetition. */
static void merge_verbs(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    for (unsigned i = 0; i < whole->verb_count && i < row->verb_count; i++) {
        whole->verbs[i].op_count += row->verbs[i].op_count;
        whole->verbs[i].error_count += row->verbs[i].error_count;
        merge_histogram(whole->verbs[i].latency, row->verbs[i].latency);
    }
}

static void merge_counts(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    bool is_first = whole->rank_count == 0;

    if (is_first || row->rank_ops_min < whole->rank_ops_min)
        whole->rank_ops_min = row->rank_ops_min;
    if (row->rank_ops_max > whole->rank_ops_max)
        whole->rank_ops_max = row->rank_ops_max;
    whole->op_count += row->op_count;
    whole->absent_count += row->absent_count;
    whole->found_count += row->found_count;
    whole->left_count += row->left_count;
    merge_verbs(whole, row);
}

/* A search may find another depth each time: then the mean has none. */
static void merge_load(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    struct weir_pace_result *pace = &whole->pace;

    if (whole->rank_count == 0) { /* nothing is merged yet */
        whole->depth = row->depth;
        whole->depth_max = row->depth_max;
        whole->batch = row->batch;
    } else if (row->depth != whole->depth || row->batch != whole->batch) {
        whole->depth = whole->depth_max = 0;
    }
    pace->asked_per_s = fmax(pace->asked_per_s, row->pace.asked_per_s);
    pace->end_lag_s = fmax(pace->end_lag_s, row->pace.end_lag_s);
    pace->max_lag_s = fmax(pace->max_lag_s, row->pace.max_lag_s);
    if (row->pace.max_backlog > pace->max_backlog)
        pace->max_backlog = row->pace.max_backlog;
}

static void merge_slowest(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    if (row->slowest_count == 0 ||
        (whole->slowest_count > 0 && row->slowest[0].seconds <= whole->slowest[0].seconds))
        return;
    whole->slowest[0] = row->slowest[0];
    whole->slowest_count = 1;
}

/* The mean traffic of the nodes, and how much of it was cached in all. */
static void merge_data(struct weir_phase_result *whole, const struct weir_phase_result *row,
                       unsigned count)
{
    struct weir_traffic *traffic = &whole->traffic;

    traffic->has_devices |= row->traffic.has_devices;
    traffic->has_network |= row->traffic.has_network;
    traffic->has_loopback |= row->traffic.has_loopback;
    traffic->has_client |= row->traffic.has_client;
    traffic->has_disks |= row->traffic.has_disks;
    traffic->device_read_bytes += row->traffic.device_read_bytes / count;
    traffic->device_written_bytes += row->traffic.device_written_bytes / count;
    traffic->network_received_bytes += row->traffic.network_received_bytes / count;
    traffic->network_sent_bytes += row->traffic.network_sent_bytes / count;
    traffic->loopback_bytes += row->traffic.loopback_bytes / count;
    traffic->client_read_bytes += row->traffic.client_read_bytes / count;
    traffic->client_written_bytes += row->traffic.client_written_bytes / count;
    traffic->client_dirty_bytes += row->traffic.client_dirty_bytes / count;
    traffic->client_cache_bytes += row->traffic.client_cache_bytes / count;
    traffic->client_cached_bytes += row->traffic.client_cached_bytes / count;
    traffic->disks_read_bytes += row->traffic.disks_read_bytes / count;
    traffic->disks_written_bytes += row->traffic.disks_written_bytes / count;
    whole->residency.asked_bytes += row->residency.asked_bytes;
    whole->residency.resident_bytes += row->residency.resident_bytes;
    whole->dirty.asked_bytes += row->dirty.asked_bytes;
    whole->dirty.unstored_bytes += row->dirty.unstored_bytes;
    whole->dirty.synced_asked_bytes += row->dirty.synced_asked_bytes;
    whole->dirty.unsynced_bytes += row->dirty.unsynced_bytes;
    whole->test = row->test;
    whole->node_count = row->node_count;
    whole->file_bytes = row->file_bytes;
    whole->expected_bytes = row->expected_bytes;
    whole->node_memory_bytes = row->node_memory_bytes;
}

void weir_result_merge(struct weir_phase_result *whole, const struct weir_phase_result *row,
                       unsigned count)
{
    merge_load(whole, row);
    merge_counts(whole, row);
    merge_data(whole, row, count);
    whole->rank_count = row->rank_count;
    whole->byte_count += row->byte_count / count;
    whole->common_s += row->common_s / count;
    whole->data_share += row->data_share / count;
    whole->storage_s += row->storage_s / count;
    whole->cpu_user_s += row->cpu_user_s / count;
    whole->cpu_system_s += row->cpu_system_s / count;
    whole->windows.transfer_s += row->windows.transfer_s / count;
    whole->windows.total_s += row->windows.total_s / count;
    whole->rank_s_min = fmin(whole->rank_s_min, row->rank_s_min);
    whole->rank_s_mean += row->rank_s_mean / count;
    whole->rank_s_max = fmax(whole->rank_s_max, row->rank_s_max);
    merge_histograms(whole, row);
    merge_slowest(whole, row);
}

/* ---- sums ---- */

void weir_sums_add(struct weir_sums *sums, double value)
{
    double distance;

    if (sums->count++ == 0) {
        sums->first = value;
        sums->max = value;
        sums->min = value;
    }
    distance = value - sums->first;
    sums->max = fmax(sums->max, value);
    sums->min = fmin(sums->min, value);
    sums->sum += value;
    sums->distance_sum += distance;
    sums->square_sum += distance * distance;
}

double weir_sums_stddev(const struct weir_sums *sums)
{
    double square_sum;

    if (sums->count < 2)
        return 0.0;
    square_sum = sums->square_sum - sums->distance_sum * sums->distance_sum / sums->count;
    return sqrt(fmax(square_sum, 0.0) / (sums->count - 1));
}

void weir_sums_merge(struct weir_sums *into, const struct weir_sums *from, double factor)
{
    double shift = factor * from->first - into->first;
    double distance_sum = factor * from->distance_sum;

    if (from->count == 0 || into->count == 0)
        return;
    into->count += from->count;
    into->max = fmax(into->max, factor * from->max);
    into->min = fmin(into->min, factor * from->min);
    into->sum += factor * from->sum;
    into->distance_sum += distance_sum + from->count * shift;
    into->square_sum +=
        factor * factor * from->square_sum + 2 * shift * distance_sum + from->count * shift * shift;
}
