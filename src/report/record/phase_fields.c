/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a phase as keys of the result file: one table for the writer and the reader of each
 * record. docs/result-file.md explains each key. */
#include "record.h"

#include <stddef.h>

/* ---- names ---- */

const char *const weir_record_outcome_names[] = {
    [WEIR_OUTCOME_COMPLETE] = "complete",
    [WEIR_OUTCOME_PARTIAL] = "partial",
    [WEIR_OUTCOME_SKIPPED] = "skipped",
};

static const char *const severities[] = {[WEIR_NOTE] = "note", [WEIR_WARNING] = "warning"};

static const char *const outlier_kinds[] = {
    [WEIR_OUTLIER_START] = "start",       [WEIR_OUTLIER_OPEN] = "open",
    [WEIR_OUTLIER_TRANSFER] = "transfer", [WEIR_OUTLIER_CLOSE] = "close",
    [WEIR_OUTLIER_END] = "end",
};

/* ---- parts of a phase ---- */

#define PHASE(key_text, member, ...)                                                               \
    WEIR_JSON_FIELD(weir_phase_result, key_text, member, __VA_ARGS__)

static const struct weir_json_field windows_fields[] = {
    WEIR_JSON_FIELD(weir_windows, "open_s", open_s, REAL),
    WEIR_JSON_FIELD(weir_windows, "transfer_s", transfer_s, REAL),
    WEIR_JSON_FIELD(weir_windows, "close_s", close_s, REAL),
    WEIR_JSON_FIELD(weir_windows, "total_s", total_s, REAL),
    {0},
};

static const struct weir_json_field spread_fields[] = {
    PHASE("min_s", rank_s_min, REAL),
    PHASE("mean_s", rank_s_mean, REAL),
    PHASE("max_s", rank_s_max, REAL),
    PHASE("stddev_s", rank_s_stddev, REAL),
    {0},
};

static const struct weir_json_field rank_rate_fields[] = {
    PHASE("min", rank_ops_per_s_min, REAL),
    PHASE("mean", rank_ops_per_s_mean, REAL),
    PHASE("max", rank_ops_per_s_max, REAL),
    {0},
};

static const struct weir_json_field slow_rank_fields[] = {
    WEIR_JSON_FIELD(weir_slow_rank, "rank", rank, UNSIGNED),
    WEIR_JSON_FIELD(weir_slow_rank, "host", host, TEXT),
    WEIR_JSON_FIELD(weir_slow_rank, "seconds", seconds, REAL),
    WEIR_JSON_FIELD(weir_slow_rank, "cpu_wait_s", waited_s, REAL, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_slow_rank, waited_s)),
    {0},
};

static const struct weir_json_field slow_directory_fields[] = {
    WEIR_JSON_FIELD(weir_slow_directory, "path", path, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(weir_slow_directory, "ops", op_count, COUNT),
    WEIR_JSON_FIELD(weir_slow_directory, "ranks", rank_count, UNSIGNED),
    WEIR_JSON_FIELD(weir_slow_directory, "mean_s", mean_s, REAL),
    WEIR_JSON_FIELD(weir_slow_directory, "max_s", max_s, REAL),
    {0},
};

static const struct weir_json_field outlier_fields[] = {
    WEIR_JSON_FIELD(weir_outlier, "kind", kind, NAME, WEIR_JSON_NAMES(outlier_kinds)),
    WEIR_JSON_FIELD(weir_outlier, "rank", rank, UNSIGNED),
    WEIR_JSON_FIELD(weir_outlier, "host", host, TEXT),
    WEIR_JSON_FIELD(weir_outlier, "value_s", value_s, REAL),
    WEIR_JSON_FIELD(weir_outlier, "mean_s", mean_s, REAL),
    WEIR_JSON_FIELD(weir_outlier, "stddev_s", stddev_s, REAL),
    {0},
};

static const struct weir_json_field cpu_fields[] = {
    PHASE("user_s", cpu_user_s, REAL),
    PHASE("system_s", cpu_system_s, REAL),
    {0},
};

static const struct weir_json_field depth_point_fields[] = {
    WEIR_JSON_FIELD(weir_depth_point, "depth", depth, UNSIGNED),
    WEIR_JSON_FIELD(weir_depth_point, "ops_per_s", ops_per_s, REAL),
    WEIR_JSON_FIELD(weir_depth_point, "p50_s", p50_s, REAL, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_depth_point, p50_s)),
    {0},
};

static const struct weir_json_field pace_fields[] = {
    WEIR_JSON_FIELD(weir_pace_result, "asked_per_s", asked_per_s, REAL),
    WEIR_JSON_FIELD(weir_pace_result, "offered_s", offered_s, REAL),
    WEIR_JSON_FIELD(weir_pace_result, "end_lag_s", end_lag_s, REAL),
    WEIR_JSON_FIELD(weir_pace_result, "max_lag_s", max_lag_s, REAL),
    WEIR_JSON_FIELD(weir_pace_result, "max_backlog", max_backlog, COUNT),
    {0},
};

#define COUNTED(key_text, member, type) WEIR_JSON_FIELD(weir_counted, key_text, member, type)

static const struct weir_json_field counted_fields[] = {
    COUNTED("bytes_per_s_sum", bytes_per_s_sum, REAL),
    COUNTED("bytes_per_s_min", bytes_per_s_min, REAL),
    COUNTED("bytes_per_s_max", bytes_per_s_max, REAL),
    COUNTED("ops_per_s_sum", ops_per_s_sum, REAL),
    COUNTED("ops_per_s_min", ops_per_s_min, REAL),
    COUNTED("ops_per_s_max", ops_per_s_max, REAL),
    COUNTED("bytes_min", bytes_min, COUNT),
    COUNTED("bytes_sum", bytes_sum, COUNT),
    COUNTED("ops_min", ops_min, COUNT),
    COUNTED("ops_sum", ops_sum, COUNT),
    COUNTED("cpu_s", cpu_s, REAL),
    {0},
};

static const struct weir_json_field stonewall_fields[] = {
    WEIR_JSON_FIELD(weir_stonewall, "hit", is_hit, FLAG),
    WEIR_JSON_FIELD(weir_stonewall, "ops_min", ops_min, COUNT),
    WEIR_JSON_FIELD(weir_stonewall, "ops_max", ops_max, COUNT),
    WEIR_JSON_FIELD(weir_stonewall, "ops_mean", ops_mean, REAL, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_stonewall, ops_mean)),
    WEIR_JSON_FIELD(weir_stonewall, "seconds", seconds, REAL),
    WEIR_JSON_FIELD(weir_stonewall, "bytes_min", bytes_min, COUNT),
    WEIR_JSON_FIELD(weir_stonewall, "bytes_mean", bytes_mean, REAL),
    {0},
};

/* Left out where no two clocks were compared. */
#define ODD(key_text, member, type)                                                                \
    WEIR_JSON_FIELD(weir_clock_quality, key_text, member, type, .flags = WEIR_JSON_OMITTED,        \
                    .when = offsetof(struct weir_clock_quality, odd_host), .when_bytes = 1)

static const struct weir_json_field clock_fields[] = {
    WEIR_JSON_FIELD(weir_clock_quality, "cross_node", is_cross_node, FLAG),
    WEIR_JSON_FIELD(weir_clock_quality, "offset_s", offset_s, REAL),
    WEIR_JSON_FIELD(weir_clock_quality, "drift_ppm", drift_ppm, REAL),
    WEIR_JSON_FIELD(weir_clock_quality, "error_s", error_s, REAL),
    WEIR_JSON_FIELD(weir_clock_quality, "drift_error_ppm", drift_error_ppm, REAL,
                    .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_clock_quality, drift_error_ppm)),
    ODD("odd_host", odd_host, TEXT),
    ODD("odd_other_host", odd_other, TEXT),
    ODD("odd_ppm", odd_ppm, REAL),
    ODD("odd_error_ppm", odd_error_ppm, REAL),
    {0},
};

static const struct weir_json_field found_fields[] = {
    WEIR_JSON_FIELD(weir_mismatch, "file", found_file, UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "offset", found_offset, COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "writer", found_writer, UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "generation", found_generation, COUNT,
                    WEIR_JSON_WHEN(weir_mismatch, found_generation)),
    {0},
};

/* The origin in data of IOR's default pattern has no offset. */
static json_t *write_found(const void *values)
{
    const struct weir_mismatch *mismatch = values;
    json_t *object = weir_json_object(found_fields, mismatch);

    if (mismatch->has_found == WEIR_FOUND_WRITER)
        json_object_del(object, "offset");
    return object;
}

static bool read_found(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_mismatch *mismatch = values;

    mismatch->has_found = json_object_get(value, "offset") ? WEIR_FOUND_PLACE : WEIR_FOUND_WRITER;
    return weir_json_take(value, found_fields, mismatch, arena);
}

static const struct weir_json_field mismatch_fields[] = {
    WEIR_JSON_FIELD(weir_mismatch, "kind", kind, NAME, .names = weir_mismatch_names,
                    .name_count = WEIR_MISMATCH_KIND_COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "file", file_number, COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "offset", offset, COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "bytes", bytes, COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "writer", writer, UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "reader", reader, UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "found", has_found, OWN, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_mismatch, has_found), .fields = found_fields,
                    .write = write_found, .read = read_found),
    {0},
};

static json_t *write_kinds(const void *values)
{
    const struct weir_mismatch_summary *log = values;
    json_t *kinds = json_object();

    for (unsigned i = 0; i < WEIR_MISMATCH_KIND_COUNT; i++)
        if (log->kinds[i] > 0)
            json_object_set_new(kinds, weir_mismatch_names[i],
                                json_integer((json_int_t)log->kinds[i]));
    return kinds;
}

static bool read_kinds(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_mismatch_summary *log = values;
    size_t known = 0;

    (void)arena;
    for (unsigned i = 0; i < WEIR_MISMATCH_KIND_COUNT; i++) {
        const json_t *count = json_object_get(value, weir_mismatch_names[i]);

        log->kinds[i] = (uint64_t)json_integer_value(count);
        known += count != NULL;
    }
    return known == json_object_size(value);
}

static const struct weir_json_field verification_fields[] = {
    WEIR_JSON_FIELD(weir_mismatch_summary, "checked_transfers", checked_transfers, COUNT),
    WEIR_JSON_FIELD(weir_mismatch_summary, "wrong_transfers", wrong_transfers, COUNT),
    WEIR_JSON_FIELD(weir_mismatch_summary, "wrong_bytes", wrong_bytes, COUNT),
    WEIR_JSON_FIELD(weir_mismatch_summary, "kinds", kinds, OWN, .write = write_kinds,
                    .read = read_kinds),
    WEIR_JSON_FIELD(weir_mismatch_summary, "first", first, VECTOR, .room = WEIR_MISMATCHES_KEPT,
                    WEIR_JSON_OF(mismatch_fields, weir_mismatch),
                    WEIR_JSON_COUNT_IN(weir_mismatch_summary, kept)),
    {0},
};

static const struct weir_json_field residency_fields[] = {
    WEIR_JSON_FIELD(weir_residency_result, "asked_bytes", asked_bytes, COUNT),
    WEIR_JSON_FIELD(weir_residency_result, "resident_bytes", resident_bytes, COUNT),
    WEIR_JSON_FIELD(weir_residency_result, "ranks", rank_count, UNSIGNED),
    {0},
};

static const struct weir_json_field dirty_fields[] = {
    WEIR_JSON_FIELD(weir_dirty_result, "asked_bytes", asked_bytes, COUNT),
    WEIR_JSON_FIELD(weir_dirty_result, "dirty_bytes", unstored_bytes, COUNT),
    WEIR_JSON_FIELD(weir_dirty_result, "synced_bytes", synced_asked_bytes, COUNT,
                    WEIR_JSON_WHEN(weir_dirty_result, synced_asked_bytes)),
    WEIR_JSON_FIELD(weir_dirty_result, "dirty_after_sync_bytes", unsynced_bytes, COUNT,
                    WEIR_JSON_WHEN(weir_dirty_result, synced_asked_bytes)),
    WEIR_JSON_FIELD(weir_dirty_result, "ranks", rank_count, UNSIGNED),
    {0},
};

#define SUPPLY(key_text, member)                                                                   \
    WEIR_JSON_FIELD(weir_supply_result, key_text, member, COUNT, .flags = WEIR_JSON_OMITTED,       \
                    WEIR_JSON_WHEN(weir_supply_result, member))

static const struct weir_json_field supply_fields[] = {
    WEIR_JSON_FIELD(weir_supply_result, "ranks", rank_count, UNSIGNED),
    WEIR_JSON_FIELD(weir_supply_result, "storage_read_bytes", storage_bytes, COUNT),
    SUPPLY("left_asked_bytes", origin.left_asked_bytes),
    SUPPLY("left_bytes", origin.left_bytes),
    SUPPLY("extent_bytes", origin.extent_bytes),
    SUPPLY("hole_bytes", origin.hole_bytes),
    SUPPLY("unwritten_bytes", origin.unwritten_bytes),
    SUPPLY("inline_bytes", origin.inline_bytes),
    SUPPLY("encoded_bytes", origin.encoded_bytes),
    SUPPLY("shared_bytes", origin.shared_bytes),
    {0},
};

#define TRAFFIC(key_text, member, condition)                                                       \
    WEIR_JSON_FIELD(weir_traffic, key_text, member, COUNT, WEIR_JSON_WHEN(weir_traffic, condition))

static const struct weir_json_field traffic_fields[] = {
    TRAFFIC("device_read_bytes", device_read_bytes, has_devices),
    TRAFFIC("device_written_bytes", device_written_bytes, has_devices),
    TRAFFIC("network_received_bytes", network_received_bytes, has_network),
    TRAFFIC("network_sent_bytes", network_sent_bytes, has_network),
    TRAFFIC("loopback_bytes", loopback_bytes, has_loopback),
    TRAFFIC("client_read_bytes", client_read_bytes, has_client),
    TRAFFIC("client_written_bytes", client_written_bytes, has_client),
    TRAFFIC("client_dirty_bytes", client_dirty_bytes, client_dirty_bytes),
    TRAFFIC("client_cache_bytes", client_cache_bytes, client_cache_bytes),
    TRAFFIC("client_cached_bytes", client_cached_bytes, client_cached_bytes),
    TRAFFIC("disks_read_bytes", disks_read_bytes, has_disks),
    TRAFFIC("disks_written_bytes", disks_written_bytes, has_disks),
    {0},
};
_Static_assert(offsetof(struct weir_traffic, has_disks) ==
                   offsetof(struct weir_traffic, has_devices) + 4 * sizeof(bool),
               "traffic is there if one of five neighbours is");

static const struct weir_json_field shortfall_fields[] = {
    PHASE("text", shortfall, STRING),
    PHASE("ranks", shortfall_rank_count, UNSIGNED),
    {0},
};

const struct weir_json_field weir_record_finding_fields[] = {
    WEIR_JSON_FIELD(weir_finding, "level", severity, NAME, WEIR_JSON_NAMES(severities),
                    .former = "severity"),
    WEIR_JSON_FIELD(weir_finding, "name", name, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(weir_finding, "effect", effect, NAME, .names = weir_effect_names,
                    .name_count = sizeof weir_effect_names / sizeof *weir_effect_names),
    WEIR_JSON_FIELD(weir_finding, "text", text, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(weir_finding, "explained_by", explained_by, STRING, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_finding, explained_by)),
    WEIR_JSON_FIELD(weir_finding, "allowed", is_allowed, FLAG, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_finding, is_allowed)),
    {0},
};

static const struct weir_json_field evidence_fields[] = {
    WEIR_JSON_FIELD(weir_evidence, "state", state, NAME, .names = weir_evidence_state_names,
                    .name_count =
                        sizeof weir_evidence_state_names / sizeof *weir_evidence_state_names),
    WEIR_JSON_FIELD(weir_evidence, "reason", reason, STRING, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_evidence, reason)),
    {0},
};

/* A question that the phase does not ask is left out. */
#define QUESTION(key_text, question)                                                               \
    {                                                                                              \
        .key = (key_text), .type = WEIR_JSON_OBJECT, .flags = WEIR_JSON_OMITTED,                   \
        .offset = offsetof(struct weir_phase_result, evidence[question]),                          \
        .fields = evidence_fields,                                                                 \
        .when = offsetof(struct weir_phase_result, evidence[question].state),                      \
        .when_bytes = sizeof(enum weir_evidence_state)                                             \
    }

static const struct weir_json_field questions[] = {
    QUESTION("page-cache", WEIR_EVIDENCE_PAGE_CACHE),
    QUESTION("supplied", WEIR_EVIDENCE_SUPPLIED),
    QUESTION("stored", WEIR_EVIDENCE_STORED),
    QUESTION("synced", WEIR_EVIDENCE_SYNCED),
    QUESTION("names", WEIR_EVIDENCE_NAMES),
    QUESTION("cpu", WEIR_EVIDENCE_CPU),
    {0},
};
_Static_assert(sizeof questions / sizeof *questions == WEIR_EVIDENCE_COUNT + 1,
               "each question has a key");

/* ---- histograms and series ---- */

/* Those of a program are trimmed when they come. */
static json_t *write_buckets(const void *values)
{
    const struct weir_histogram *histogram = values;
    json_t *buckets = json_array();

    if (histogram->total == 0)
        return buckets;
    for (unsigned i = (unsigned)histogram->first; i <= weir_histogram_bucket(histogram->max_ns);
         i++)
        if (histogram->counts[i - histogram->first] > 0)
            json_array_append_new(buckets,
                                  json_pack("[I,I]", (json_int_t)weir_histogram_bucket_low(i),
                                            (json_int_t)histogram->counts[i - histogram->first]));
    return buckets;
}

static bool read_buckets(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_histogram *histogram = values;

    (void)arena;
    /* min_ns and max_ns are null in a histogram without values only. */
    if (histogram->total > 0 && histogram->min_ns > histogram->max_ns)
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *pair = json_array_get(value, i);
        json_int_t low = json_integer_value(json_array_get(pair, 0));
        json_int_t count = json_integer_value(json_array_get(pair, 1));

        if (low < 0 || count < 0)
            return false;
        histogram->counts[weir_histogram_bucket((uint64_t)low)] += (uint64_t)count;
    }
    return true;
}

const struct weir_json_field weir_record_histogram_fields[] = {
    WEIR_JSON_FIELD(weir_histogram, "total", total, COUNT),
    WEIR_JSON_FIELD(weir_histogram, "sum_ns", sum_ns, COUNT),
    WEIR_JSON_FIELD(weir_histogram, "min_ns", min_ns, KNOWN),
    WEIR_JSON_FIELD(weir_histogram, "max_ns", max_ns, COUNT, WEIR_JSON_WHEN(weir_histogram, total)),
    WEIR_JSON_FIELD(weir_histogram, "buckets", counts, OWN, .write = write_buckets,
                    .read = read_buckets),
    {0},
};

static json_t *write_interval(const void *values)
{
    return json_integer((json_int_t)1 << ((const struct weir_series *)values)->shift);
}

static bool read_interval(const json_t *value, void *values, struct weir_arena *arena)
{
    json_int_t interval_ns = json_integer_value(value);

    (void)arena;
    if (interval_ns < 1)
        return false;
    ((struct weir_series *)values)->shift =
        (uint32_t)__builtin_ctzll((unsigned long long)interval_ns);
    return true;
}

#define SERIES(key_text, member, ...) WEIR_JSON_FIELD(weir_series, key_text, member, __VA_ARGS__)

static const struct weir_json_field series_fields[] = {
    SERIES("interval_ns", shift, OWN, .write = write_interval, .read = read_interval),
    SERIES("ops", ops, COUNTS, WEIR_JSON_COUNT_IN(weir_series, used)),
    SERIES("bytes", bytes, COUNTS, WEIR_JSON_COUNT_IN(weir_series, used),
           .flags = WEIR_JSON_COUNTED),
    SERIES("backlog", backlog, COUNTS, WEIR_JSON_COUNT_IN(weir_series, used),
           .flags = WEIR_JSON_COUNTED),
    {0},
};

/* In a closed loop nothing is ever due and not issued. */
static json_t *write_series(const void *values)
{
    const struct weir_phase_result *phase = values;
    json_t *object = weir_json_object(series_fields, phase->series);

    if (phase->pace.asked_per_s <= 0.0)
        json_object_del(object, "backlog");
    return object;
}

static bool read_series(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_phase_result *phase = values;

    phase->series = weir_arena_take(arena, sizeof *phase->series);
    return json_is_object(value) && weir_json_take(value, series_fields, phase->series, arena);
}

/* ---- single ranks ---- */

static const struct weir_json_field rank_rate_each_fields[] = {
    WEIR_JSON_FIELD(weir_rank_rate, "rank", rank, UNSIGNED),
    WEIR_JSON_FIELD(weir_rank_rate, "per_s", per_s, REAL),
    {0},
};

static const struct weir_json_field rank_rates_fields[] = {
    WEIR_JSON_FIELD(weir_rank_rates, "in_bytes", is_in_bytes, FLAG),
    WEIR_JSON_FIELD(weir_rank_rates, "rates", list, COLUMNS, .room = WEIR_RANK_RATES_MAX,
                    WEIR_JSON_OF(rank_rate_each_fields, weir_rank_rate),
                    WEIR_JSON_COUNT_IN(weir_rank_rates, count)),
    {0},
};

/* A text of two hexadecimal digits per interval for each row. */
static json_t *write_levels(const void *values)
{
    const struct weir_rank_series *series = values;
    char digits[2 * WEIR_RANK_SERIES_COLUMNS + 1];
    json_t *rows = json_array();

    for (unsigned i = 0; i < series->rows; i++) {
        for (unsigned k = 0; k < series->columns; k++)
            snprintf(digits + (size_t)2 * k, 3, "%02x",
                     series->levels[(size_t)i * series->columns + k]);
        json_array_append_new(rows, json_string(digits));
    }
    return rows;
}

static bool read_levels(const json_t *value, void *values, struct weir_arena *arena)
{
    static const char digits[] = "0123456789abcdef";
    struct weir_rank_series *series = values;
    size_t rows = json_array_size(value);
    uint8_t *levels;

    if (rows > WEIR_RANK_SERIES_ROWS)
        return false;
    levels = weir_arena_take(arena, rows * WEIR_RANK_SERIES_COLUMNS);
    for (size_t i = 0; i < rows; i++) {
        const char *row = json_string_value(json_array_get(value, i));
        size_t length = row != NULL ? strlen(row) : 0;

        if (i == 0)
            series->columns = (unsigned)(length / 2);
        if (length == 0 || length != (size_t)2 * series->columns ||
            series->columns > WEIR_RANK_SERIES_COLUMNS || strspn(row, digits) < length)
            return false;
        for (size_t k = 0; k < length; k += 2)
            levels[i * series->columns + k / 2] = (uint8_t)((strchr(digits, row[k]) - digits) * 16 +
                                                            (strchr(digits, row[k + 1]) - digits));
    }
    series->rows = (unsigned)rows;
    series->levels = levels;
    return true;
}

static const struct weir_json_field rank_series_fields[] = {
    WEIR_JSON_FIELD(weir_rank_series, "interval_ns", interval_ns, COUNT),
    WEIR_JSON_FIELD(weir_rank_series, "ranks_per_row", ranks_per_row, UNSIGNED),
    WEIR_JSON_FIELD(weir_rank_series, "in_bytes", is_in_bytes, FLAG),
    WEIR_JSON_FIELD(weir_rank_series, "greatest", greatest, REAL),
    WEIR_JSON_FIELD(weir_rank_series, "levels", levels, OWN, .write = write_levels,
                    .read = read_levels),
    {0},
};

/* ---- where ranks ran ---- */

#define PLACE(key_text, member, ...)                                                               \
    WEIR_JSON_FIELD(weir_node_places, key_text, member, __VA_ARGS__)
/* Of what some ranks have met: null where none has. */
#define PLACE_IF(key_text, member, count, ...)                                                     \
    WEIR_JSON_FIELD(weir_node_places, key_text, member, UNSIGNED,                                  \
                    WEIR_JSON_WHEN(weir_node_places, count), __VA_ARGS__)

static const struct weir_json_field node_place_fields[] = {
    PLACE("host", host, TEXT),
    PLACE("ranks", rank_count, UNSIGNED),
    PLACE("cpus", cpus, CPUS),
    PLACE("cores", core_count, UNSIGNED),
    PLACE_IF("allowed_cores", given_core_count, given_core_count, .former = "given_cores"),
    PLACE("pinned", is_pinned, FLAG),
    PLACE("shared_core_ranks", crowded_count, UNSIGNED, .former = "crowded_ranks"),
    PLACE_IF("first_shared_core_rank", first_crowded, crowded_count,
             .former = "first_crowded_rank"),
    PLACE_IF("shared_core_cpu", crowded_cpu, crowded_count, .former = "crowded_cpu"),
    PLACE("moved_ranks", moved_count, UNSIGNED),
    PLACE_IF("first_moved_rank", first_moved, moved_count),
    PLACE("narrowed_ranks", narrowed_count, UNSIGNED),
    PLACE("far_ranks", far_count, UNSIGNED),
    PLACE("cpu_numa_nodes", cpu_nodes, BITS),
    PLACE("page_numa_nodes", page_nodes, BITS),
    PLACE("numa_nodes_requested", asks_nodes, FLAG, .former = "asks_numa_nodes"),
    PLACE("wrong_node_ranks", away_count, UNSIGNED, .former = "away_ranks"),
    PLACE_IF("first_wrong_node_rank", first_away, away_count, .former = "first_away_rank"),
    PLACE("wrong_node_permille", away_permille, UNSIGNED, .former = "away_permille"),
    PLACE("remote_ranks", remote_count, UNSIGNED),
    PLACE_IF("first_remote_rank", first_remote, remote_count),
    PLACE("cpu_s", cpu_s, REAL),
    PLACE("wall_s", wall_s, REAL),
    PLACE("migrations", migrations, KNOWN),
    PLACE("involuntary_switches", preemptions, KNOWN, .former = "preemptions"),
    PLACE("throttled_cpu_s", throttled_s, KNOWN_REAL, .former = "throttled_s"),
    PLACE("steal_share", stolen_share, KNOWN_REAL, .former = "stolen_share"),
    PLACE("cpu_wait_share", waited_share, KNOWN_REAL),
    PLACE_IF("first_waiting_rank", first_waited, waited_share),
    PLACE_IF("load_hundredths", pressure.load_hundredths, pressure.load_hundredths),
    PLACE_IF("cpu_some_permille", pressure.some_permille, pressure.some_permille),
    PLACE("sampled_processes", pressure.is_sampled, FLAG),
    PLACE_IF("foreign_cpu_permille", pressure.foreign_permille, pressure.is_sampled),
    PLACE("busiest_process", pressure.busiest, TEXT),
    PLACE_IF("busiest_pid", pressure.busiest_pid, pressure.busiest_permille),
    PLACE_IF("busiest_permille", pressure.busiest_permille, pressure.busiest_permille),
    {0},
};

#define RANK(key_text, member, ...) WEIR_JSON_FIELD(weir_rank_place, key_text, member, __VA_ARGS__)

static const struct weir_json_field rank_place_fields[] = {
    RANK("node", node, UNSIGNED),
    RANK("cpus", cpus, CPUS),
    WEIR_JSON_FIELD(weir_rank_place, "last_cpu", last_cpu, UNSIGNED,
                    WEIR_JSON_WHEN(weir_rank_place, cpus)),
    RANK("moved", is_moved, FLAG),
    RANK("cpu_numa_nodes", cpu_nodes, BITS),
    RANK("page_numa_nodes", page_nodes, BITS),
    WEIR_JSON_FIELD(weir_rank_place, "wrong_node_permille", away_permille, UNSIGNED,
                    WEIR_JSON_WHEN(weir_rank_place, cpus), .former = "away_permille"),
    RANK("migrations", migrations, KNOWN),
    RANK("involuntary_switches", preemptions, KNOWN, .former = "preemptions"),
    {0},
};

static const struct weir_json_field places_fields[] = {
    PHASE("nodes", node_places, COLUMNS, .flags = WEIR_JSON_COUNTED,
          WEIR_JSON_OF(node_place_fields, weir_node_places),
          WEIR_JSON_COUNT_IN(weir_phase_result, node_count)),
    PHASE("ranks", rank_places, COLUMNS, .flags = WEIR_JSON_COUNTED,
          WEIR_JSON_WHEN(weir_phase_result, rank_places), .room = WEIR_RANK_PLACES_MAX,
          WEIR_JSON_OF(rank_place_fields, weir_rank_place),
          WEIR_JSON_COUNT_IN(weir_phase_result, rank_count)),
    {0},
};

/* ---- phases, and times of labels ---- */

/* The rounds of the loops around it. */
#define LOOPS(key_text, structure)                                                                 \
    WEIR_JSON_FIELD(structure, key_text, loops, NUMBERS, .flags = WEIR_JSON_OMITTED,               \
                    .room = WEIR_PLAN_NESTING_MAX, WEIR_JSON_WHEN(structure, loop_count),          \
                    WEIR_JSON_COUNT_IN(structure, loop_count))

#define TIMED(key_text, member, ...)                                                               \
    WEIR_JSON_FIELD(weir_timed_result, key_text, member, __VA_ARGS__)

const struct weir_json_field weir_record_timed_fields[] = {
    TIMED("test", test, UNSIGNED),
    TIMED("label", label, STRING, .flags = WEIR_JSON_NEEDED),
    LOOPS("loops", weir_timed_result),
    TIMED("ranks", rank_count, UNSIGNED),
    TIMED("outcome", outcome, NAME, WEIR_JSON_NAMES(weir_record_outcome_names)),
    TIMED("begun_s", begun_s, REAL),
    TIMED("seconds", seconds, REAL),
    TIMED("clock_error_s", clock_error_s, REAL),
    {0},
};

/* In the order of the record; reports in JSON have them too. */
const struct weir_json_field weir_record_phase_fields[] = {
    PHASE("outcome", outcome, NAME, WEIR_JSON_NAMES(weir_record_outcome_names)),
    PHASE("test", test, UNSIGNED),
    PHASE("phase", phase, UNSIGNED),
    PHASE("repetition", repetition, UNSIGNED),
    LOOPS("loops", weir_phase_result),
    PHASE("interrupted", is_interrupted, FLAG),
    PHASE("reused_from", kept_from, TEXT, .flags = WEIR_JSON_OMITTED,
          .when = offsetof(struct weir_phase_result, kept_from), .when_bytes = 1,
          .former = "kept_from"),
    PHASE("begun_s", begun_s, REAL),
    PHASE("ranks", rank_count, UNSIGNED),
    PHASE("nodes", node_count, UNSIGNED),
    PHASE("same_node_ranks", near_rank_count, UNSIGNED, .former = "near_ranks"),
    PHASE("ops", op_count, COUNT),
    PHASE("bytes", byte_count, COUNT),
    PHASE("expected_bytes", expected_bytes, COUNT),
    PHASE("differing_sizes", has_differing_sizes, FLAG),
    PHASE("unlogged_ops", unlogged_ops, COUNT),
    PHASE("short_transfers", short_count, COUNT),
    PHASE("errors", error_count, COUNT),
    PHASE("failure", failure, STRING),
    PHASE("failure_s", failure_s, REAL, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_phase_result, failure_s)),
    PHASE("generation", generation, COUNT, WEIR_JSON_WHEN(weir_phase_result, generation)),
    PHASE("data_seed", data_seed, SEED),
    PHASE("order_seed", order_seed, SEED),
    PHASE("overlap_s", common_s, REAL, .former = "common_s"),
    PHASE("op_s_min", op_s_min, REAL, WEIR_JSON_WHEN(weir_phase_result, op_s_min)),
    PHASE("data_share", data_share, REAL),
    PHASE("data_in_flight_share", overlapped_data_share, REAL, .former = "overlapped_data_share"),
    PHASE("storage_s", storage_s, REAL, WEIR_JSON_WHEN(weir_phase_result, storage_s)),
    PHASE("eagain_transfers", blocked_count, COUNT, .former = "blocked_transfers"),
    PHASE("depth", depth, UNSIGNED),
    PHASE("batch", batch, UNSIGNED),
    PHASE("outlier_count", outlier_count, UNSIGNED),
    PHASE("file_bytes", file_bytes, KNOWN),
    PHASE("windows", windows, OBJECT, .fields = windows_fields),
    WEIR_JSON_PART("rank_s", spread_fields),
    WEIR_JSON_PART("rank_ops_per_s", rank_rate_fields, .flags = WEIR_JSON_OMITTED,
                   WEIR_JSON_WHEN(weir_phase_result, rank_ops_per_s_max)),
    WEIR_JSON_PART("cpu", cpu_fields),
    PHASE("depth_curve", depth_curve.points, VECTOR, .room = WEIR_DEPTH_POINTS_MAX,
          WEIR_JSON_OF(depth_point_fields, weir_depth_point),
          WEIR_JSON_COUNT_IN(weir_phase_result, depth_curve.count),
          WEIR_JSON_WHEN(weir_phase_result, depth_curve.count)),
    PHASE("pace", pace, OBJECT, .fields = pace_fields,
          WEIR_JSON_WHEN(weir_phase_result, pace.asked_per_s)),
    PHASE("enabled_features", granted, STRING, .former = "granted"),
    WEIR_JSON_PART("missing_features", shortfall_fields,
                   WEIR_JSON_WHEN(weir_phase_result, shortfall), .former = "shortfall"),
    PHASE("slowest", slowest, LIST, WEIR_JSON_OF(slow_rank_fields, weir_slow_rank),
          WEIR_JSON_COUNT_IN(weir_phase_result, slowest_count)),
    PHASE("slowest_directories", slow_directories, LIST, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_phase_result, slow_directory_count),
          WEIR_JSON_OF(slow_directory_fields, weir_slow_directory),
          WEIR_JSON_COUNT_IN(weir_phase_result, slow_directory_count)),
    PHASE("outliers", outliers, VECTOR, .flags = WEIR_JSON_COUNTED,
          WEIR_JSON_OF(outlier_fields, weir_outlier), .room = WEIR_OUTLIERS_KEPT,
          WEIR_JSON_COUNT_IN(weir_phase_result, outlier_count)),
    PHASE("rank_rates", counted, OBJECT, .fields = counted_fields, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_phase_result, counted), .former = "counted"),
    PHASE("stonewall", stonewall, OBJECT, .fields = stonewall_fields,
          WEIR_JSON_WHEN(weir_phase_result, stonewall.has_deadline)),
    PHASE("clock", clock, OBJECT, .fields = clock_fields),
    PHASE("verification", mismatches, OBJECT, .fields = verification_fields),
    PHASE("residency", residency, OBJECT, .fields = residency_fields,
          WEIR_JSON_WHEN(weir_phase_result, residency.asked_bytes)),
    PHASE("dirty", dirty, OBJECT, .fields = dirty_fields,
          WEIR_JSON_WHEN(weir_phase_result, dirty.asked_bytes)),
    PHASE("supply", supply, OBJECT, .fields = supply_fields, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_phase_result, supply.rank_count)),
    PHASE("traffic", traffic, OBJECT, .fields = traffic_fields,
          .when = offsetof(struct weir_phase_result, traffic.has_devices),
          .when_bytes = 5 * sizeof(bool)),
    PHASE("node_memory_bytes", node_memory_bytes, COUNT,
          WEIR_JSON_WHEN(weir_phase_result, node_memory_bytes)),
    PHASE("notes", notes, STRING, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_phase_result, notes)),
    PHASE("findings", findings, VECTOR, WEIR_JSON_OF(weir_record_finding_fields, weir_finding),
          WEIR_JSON_COUNT_IN(weir_phase_result, finding_count)),
    WEIR_JSON_PART("evidence", questions),
    PHASE("believed", believed, NAME, .names = weir_believed_names,
          .name_count = WEIR_BELIEVED_COUNT),
    PHASE("measured", believed_as, NAME, .names = weir_measure_names,
          .name_count = sizeof weir_measure_names / sizeof *weir_measure_names),
    {0},
};

#define LATENCY(key_text, member)                                                                  \
    PHASE(key_text, member, POINTER, WEIR_JSON_OF(weir_record_histogram_fields, weir_histogram))

#define VERB(key_text, member, ...) WEIR_JSON_FIELD(weir_verb_result, key_text, member, __VA_ARGS__)

static const struct weir_json_field verb_fields[] = {
    VERB("verb", verb, NAME, .names = weir_verb_names, .name_count = WEIR_VERB_COUNT),
    VERB("ops", op_count, COUNT),
    VERB("errors", error_count, COUNT),
    VERB("latency", latency, POINTER, WEIR_JSON_OF(weir_record_histogram_fields, weir_histogram)),
    {0},
};

/* A row that is left out where it is 0 or NULL. */
#define IF_ANY(key_text, member, ...)                                                              \
    PHASE(key_text, member, __VA_ARGS__, .flags = WEIR_JSON_OMITTED,                               \
          WEIR_JSON_WHEN(weir_phase_result, member))

/* Keys of the result file alone. */
const struct weir_json_field weir_record_detail_fields[] = {
    IF_ANY("caches_dropped", has_dropped_caches, FLAG),
    IF_ANY("lost_bytes", has_lost_bytes, FLAG),
    IF_ANY("rank_ops_min", rank_ops_min, COUNT),
    IF_ANY("rank_ops_max", rank_ops_max, COUNT),
    IF_ANY("missing_names", absent_count, COUNT, .former = "absent"),
    IF_ANY("existing_names", found_count, COUNT),
    IF_ANY("depth_max", depth_max, UNSIGNED),
    IF_ANY("remaining_directories", left_count, COUNT, .former = "left"),
    PHASE("verbs", verbs, LIST, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_phase_result, verb_count),
          WEIR_JSON_OF(verb_fields, weir_verb_result),
          WEIR_JSON_COUNT_IN(weir_phase_result, verb_count)),
    IF_ANY("program_result", program, POINTER,
           WEIR_JSON_OF(weir_record_program_fields, weir_program_result)),
    LATENCY("latency", latency),
    LATENCY("submission", submission),
    LATENCY("response", response),
    LATENCY("write_latency", write_latency),
    LATENCY("read_latency", read_latency),
    PHASE("series", series, OWN, WEIR_JSON_WHEN(weir_phase_result, series), .fields = series_fields,
          .write = write_series, .read = read_series),
    PHASE("each_rank", rank_rates, OBJECT, .fields = rank_rates_fields, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_phase_result, rank_rates.count)),
    PHASE("rank_series", rank_series, OBJECT, .fields = rank_series_fields,
          .flags = WEIR_JSON_OMITTED, WEIR_JSON_WHEN(weir_phase_result, rank_series.rows)),
    WEIR_JSON_PART("placement", places_fields, WEIR_JSON_WHEN(weir_phase_result, node_places),
                   .former = "places"),
    {0},
};
