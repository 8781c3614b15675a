/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect parabench, and remedies in its options and its language. */
#include "parabench.h"

#include "ior/ior.h"

#include <stddef.h>

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_PATH, "--root"},
    {WEIR_REMEDY_ROOT, "--root"},
    {WEIR_REMEDY_ANYWHERE, "allow all with --anywhere"},
    {WEIR_REMEDY_BACKEND, "--backend"},
    {WEIR_REMEDY_DEVICE, "weir ior --device allow"},
    {WEIR_REMEDY_DEVICE_FORCE, "weir ior --device force"},
    {WEIR_REMEDY_KEEP, "a program without delete"},
    {WEIR_REMEDY_FILE_PER_RANK, "$$rank in the name"},
    {WEIR_REMEDY_REPETITIONS, "repeat"},
    {WEIR_REMEDY_DEADLINE, "--time-limit"},
    {WEIR_REMEDY_LONGER_PHASE, "repeat"},
    {WEIR_REMEDY_SYNC, "fsync"},
    {WEIR_REMEDY_TRANSFER_SIZE, "the size of the command"},
    {WEIR_REMEDY_SEED, "--seed"},
    {WEIR_REMEDY_REPORT_FILE, "--summaryFile"},
    {WEIR_REMEDY_VERIFY_READS, "--verify"},
    {0},
};

static const struct weir_reporter *const reporters[] = {
    &weir_reporter_parabench, &weir_reporter_parabench_labels, &weir_reporter_parabench_xml, NULL};

/* results.xml */
static const struct weir_side_format side = {
    .setting = "xml", .option = "-e", .reporter = &weir_reporter_parabench_xml};

const struct weir_dialect_reports weir_parabench_reports = {.dialect = "parabench",
                                                            .work = WEIR_WORKS_ON_PROGRAMS,
                                                            .reporters = reporters,
                                                            .remedies = remedies,
                                                            .rank_csv = &weir_ior_rank_csv,
                                                            .side = &side};
