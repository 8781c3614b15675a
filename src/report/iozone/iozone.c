/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect iozone, and remedies in its options. */
#include "iozone.h"

#include "rows.h"

#include "weir/base/remedy.h"

#include <stddef.h>

static const struct weir_reporter *const reporters[] = {
    &weir_reporter_iozone, &weir_reporter_iozone_csv, &weir_reporter_iozone_json, NULL};

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_PATH, "-f"},
    {WEIR_REMEDY_DEVICE, "weir ior --device allow"},
    {WEIR_REMEDY_DEVICE_FORCE, "weir ior --device force"},
    {WEIR_REMEDY_KEEP, "-w"},
    {WEIR_REMEDY_REPETITIONS, "the same command again"},
    {WEIR_REMEDY_USE_EXISTING, "-+N"},
    {WEIR_REMEDY_WRITE, "-i 0"},
    {WEIR_REMEDY_READ, "-i 1"},
    {WEIR_REMEDY_TRANSFER_SIZE, "-r"},
    {WEIR_REMEDY_BLOCK_SIZE, "-s"},
    {WEIR_REMEDY_LONGER_PHASE, "-s"},
    {WEIR_REMEDY_SYNC, "-e"},
    {WEIR_REMEDY_SYNC_ALL, "-e"},
    {WEIR_REMEDY_FOREIGN_DATA, "-+E"},
    {WEIR_REMEDY_PATTERN, "-V"},
    {WEIR_REMEDY_VERIFY_READS, "-+d"},
    {WEIR_REMEDY_RANK_FILE, "-b"},
    {0},
};

static const char *name_phase(const struct weir_test *test, const struct weir_phase *phase)
{
    enum weir_iozone_test which = weir_iozone_test_planned(test, phase);

    return which != WEIR_IOZONE_TESTS ? weir_iozone_name(which) : NULL;
}

const struct weir_dialect_reports weir_iozone_reports = {.dialect = "iozone",
                                                         .reporters = reporters,
                                                         .remedies = remedies,
                                                         .rank_csv = &weir_iozone_rank_csv,
                                                         .name_phase = name_phase,
                                                         .counts_ops = weir_iozone_counts_ops};
