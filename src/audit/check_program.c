/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the times of a program's labels are those of ranks that worked together, and that its
 * data passed the storage. */
#include "checks.h"

#include "weir/base/observable.h"
#include "weir/base/text.h"

#include <stdio.h>
#include <string.h>

/* Ranks that begin so far apart on average, as a share of what they time, are in part alone.
 * Shorter times are those of the clock and of barriers. */
#define SKEW_SHARE 0.25
#define SKEW_LEAST_S 0.001
/* Of each rank. A label that is executed more often is one of a loop: ranks drift apart in it, and
 * a barrier in each round would change what is measured. */
#define EXECUTIONS_MAX 3
/* Programs that move less are about names, or too short for counters of devices. */
#define DATA_LEAST_BYTES (UINT64_C(16) << 20)

static double skew_share(const struct weir_label_result *label)
{
    double mean_s = label->duration != NULL ? weir_histogram_mean_ns(label->duration) / 1e9 : 0.0;

    return label->byte_count > 0 && label->skew_count > 0 && label->skew_mean_s >= SKEW_LEAST_S &&
                   label->execution_count <= EXECUTIONS_MAX * label->rank_count && mean_s > 0.0
               ? label->skew_mean_s / mean_s
               : 0.0;
}

/* `time` has no barrier. Of labels that move data the worst is named. */
static void check_starts(const struct weir_audit_input *input)
{
    const struct weir_program_result *program = input->record->program;
    const struct weir_label_result *worst = NULL;
    char skew[WEIR_DURATION_TEXT_BYTES], mean[WEIR_DURATION_TEXT_BYTES], others[48] = "";
    unsigned count = 0;

    for (unsigned i = 0; program != NULL && i < program->label_count; i++) {
        const struct weir_label_result *label = &program->labels[i];

        if (skew_share(label) < SKEW_SHARE)
            continue;
        count++;
        if (worst == NULL || skew_share(label) > skew_share(worst))
            worst = label;
    }
    if (worst == NULL)
        return;
    if (count > 1)
        snprintf(others, sizeof others, " and %u more label%s", count - 1, count == 2 ? "" : "s");
    weir_result_find(
        input->record, WEIR_FINDING_SKEWED_START,
        "ranks began \"%.32s\"%s up to %s apart, and it takes %s -> a barrier before it",
        worst->name, others, weir_duration_format(worst->skew_max_s, skew),
        weir_duration_format(weir_histogram_mean_ns(worst->duration) / 1e9, mean));
}

/* ---- data that stay in memory, or come from there ---- */

struct moved {
    uint64_t bytes;
    uint64_t cached_bytes; /* of these, not past the page cache */
};

static struct moved sum_calls(const struct weir_program_result *program, bool writes)
{
    struct moved moved = {0};

    for (unsigned i = 0; i < program->call_count; i++) {
        const struct weir_call_result *call = &program->calls[i];

        if (!weir_calls[call->call].moves_data || weir_calls[call->call].writes != writes)
            continue;
        moved.bytes += call->byte_count;
        if (call->call != WEIR_CALL_DIRECT_WRITE && call->call != WEIR_CALL_DIRECT_READ)
            moved.cached_bytes += call->byte_count;
    }
    return moved;
}

/* Part of the bytes moved through the page cache that passed no device, at least. What went past
 * it passed one. */
static double memory_share(const struct moved *moved, uint64_t passed_bytes)
{
    double left = (double)moved->bytes - (double)passed_bytes;

    if (moved->cached_bytes < DATA_LEAST_BYTES || left <= 0.0)
        return 0.0;
    return left < (double)moved->cached_bytes ? left / (double)moved->cached_bytes : 1.0;
}

static void check_passed(const struct weir_audit_input *input, bool writes)
{
    struct moved moved = sum_calls(input->record->program, writes);
    char all[WEIR_SIZE_TEXT_BYTES];
    uint64_t passed_bytes;
    double share;

    if (!weir_audit_passed(input, writes, &passed_bytes) ||
        (!input->record->traffic.has_devices && passed_bytes == 0))
        return;
    share = memory_share(&moved, passed_bytes);
    if (share < WEIR_RESIDENT_SHARE)
        return;
    weir_size_format(moved.bytes, all);
    if (writes)
        weir_result_find(input->record, WEIR_FINDING_UNSYNCED,
                         "at least %.0f %% of %s written was in memory at the end -> fsync in the "
                         "block, or dwrite",
                         100.0 * share, all);
    else
        weir_result_find(input->record, WEIR_FINDING_RESIDENT,
                         "at least %.0f %% of %s read came from memory -> dread, or --drop-caches "
                         "and a second run",
                         100.0 * share, all);
    weir_result_observe(input->record, writes ? WEIR_EVIDENCE_STORED : WEIR_EVIDENCE_SUPPLIED,
                        WEIR_SEEN, NULL);
}

/* Pages of its files tell more than counters. */
static void check_writes(const struct weir_audit_input *input)
{
    struct moved moved = sum_calls(input->record->program, true);
    bool hides = weir_storage_hides_writes(weir_audit_first_storage(input));
    const char *lack = NULL;

    if (moved.bytes == 0)
        return;
    if (moved.cached_bytes > 0) {
        if (!weir_audit_labels(input))
            check_passed(input, true);
    } else if (!hides) {
        weir_result_observe(input->record, WEIR_EVIDENCE_STORED, WEIR_NOT_SEEN, "direct I/O");
    }
    if (hides)
        lack = weir_audit_obstacle(input, WEIR_EVIDENCE_STORED);
    weir_result_observe(input->record, WEIR_EVIDENCE_STORED, WEIR_CANNOT_OBSERVE,
                        lack != NULL ? lack : "no label has dirty pages that the kernel counts");
}

/* Programs that read less say nothing: their files' metadata come from devices, too. */
#define READ_LEAST_BYTES (UINT64_C(1) << 20)

/* The part of the bytes read that no device supplied, at least: what several ranks read, a device
 * may have supplied for one of them. */
static double unsupplied_share(uint64_t read_bytes, uint64_t most_of_a_rank, uint64_t supplied)
{
    if (read_bytes < READ_LEAST_BYTES ||
        (double)supplied >= (1.0 - WEIR_RESIDENT_SHARE) * (double)most_of_a_rank)
        return 0.0;
    return 1.0 - (double)supplied / (double)read_bytes;
}

/* Returns false if the kernel does not count what devices supply for the ranks. Of labels that read
 * data the worst is named. */
static bool check_supply(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    const struct weir_program_result *program = record->program;
    struct moved moved = sum_calls(program, false);
    const char *where = "the program";
    double share = 0.0;

    /* The file systems below an overlay may be others. */
    if (record->supply.rank_count < record->rank_count ||
        strcmp(input->begun->filesystem.type, "overlay") == 0)
        return false;
    for (unsigned i = 0; i < program->label_count; i++) {
        const struct weir_label_result *label = &program->labels[i];
        double of_label = unsupplied_share(
            label->read_bytes, label->rank_count > 1 ? label->read_bytes_max : label->read_bytes,
            label->storage_read_bytes);

        if (of_label > share) {
            share = of_label;
            where = label->name;
        }
    }
    if (share == 0.0)
        share = unsupplied_share(moved.bytes, moved.bytes / record->rank_count,
                                 record->supply.storage_bytes);
    if (moved.bytes > 0)
        weir_audit_observe_supply(input, share);
    if (share >= WEIR_RESIDENT_SHARE && moved.cached_bytes > 0)
        weir_result_find_as(record, WEIR_FINDING_RESIDENT, WEIR_NOTE,
                            weir_audit_share_effect(share),
                            "%.0f %% of what \"%.40s\" read came from no device -> dread, or an "
                            "emptied page cache",
                            100.0 * share, where);
    else if (share >= WEIR_RESIDENT_SHARE)
        weir_result_find_as(record, WEIR_FINDING_NO_DEVICE_IO, WEIR_NOTE,
                            weir_audit_share_effect(share),
                            "%.0f %% of what \"%.40s\" read came from no device -> write the "
                            "files first",
                            100.0 * share, where);
    return true;
}

/* The file system is that of the first directory that the program may work in. */
/* Nothing tells which pages the calls left in the page cache: the mount does. */
static void check_direct(const struct weir_audit_input *input)
{
    struct moved moved = sum_calls(input->record->program, true);

    if (moved.bytes <= moved.cached_bytes || input->begun->storage_count == 0 ||
        strstr(input->begun->storages[0].facts.options, "data=journal") == NULL)
        return;
    weir_result_find(input->record, WEIR_FINDING_BUFFERED_DIRECT,
                     "%s writes direct I/O through the page cache and its journal -> mount it "
                     "without data=journal",
                     input->begun->storages[0].facts.type);
}

static void check_data_path(const struct weir_audit_input *input)
{
    if (input->record->program == NULL || input->test->is_dry_run)
        return;
    if (weir_audit_memory(input) != NULL) {
        weir_audit_report_memory(input);
        return;
    }
    check_direct(input);
    if (weir_audit_uses_page_cache(input))
        check_writes(input);
    if (!check_supply(input) && weir_audit_uses_page_cache(input))
        check_passed(input, false);
}

void weir_audit_program(const struct weir_audit_input *input)
{
    weir_audit_clock(input);
    weir_audit_data(input);
    weir_audit_movement(input);
    check_starts(input);
    check_data_path(input);
}
