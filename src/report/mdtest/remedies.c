/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies in the options of mdtest's command line. */
#include "mdtest.h"

const struct weir_remedy_word weir_mdtest_remedies[] = {
    {WEIR_REMEDY_DETAILS, "-v"},
    {WEIR_REMEDY_PATH, "-d"},
    {WEIR_REMEDY_BACKEND, "-a"},
    {WEIR_REMEDY_FILE_PER_RANK, "-u"},
    {WEIR_REMEDY_REMOVE, "-r"},
    {WEIR_REMEDY_KEEP, "-C"},
    {WEIR_REMEDY_WRITE, "-C"},
    {WEIR_REMEDY_READ, "-E"},
    {WEIR_REMEDY_TRANSFER_SIZE, "-w and -e"},
    {WEIR_REMEDY_REPETITIONS, "-i"},
    {WEIR_REMEDY_DEADLINE, "-W"},
    {WEIR_REMEDY_LONGER_PHASE, "-n"},
    {WEIR_REMEDY_SYNC, "-y"},
    {WEIR_REMEDY_SYNC_ALL, "-Y"},
    {WEIR_REMEDY_SHIFT_NODES, "-N 1"},
    {WEIR_REMEDY_SHIFT_DISTANCE, "-N"},
    {WEIR_REMEDY_PATTERN, "--dataPacketType"},
    {WEIR_REMEDY_SEED, "-G"},
    {WEIR_REMEDY_VERIFY_WRITES, "--verify-write"},
    {WEIR_REMEDY_VERIFY_READS, "--verify-read"},
    {WEIR_REMEDY_REPORT_FILE, "--summaryFile"},
    {WEIR_REMEDY_RANK_FILE, "--saveRankPerformanceDetails"},
    {WEIR_REMEDY_OP_FILES, "--savePerOpDataCSV"},
    {WEIR_REMEDY_STATUS_FILE, "-x"},
    {WEIR_REMEDY_STATUS_WRITER, "a run with -C and the same -x"},
    {0},
};
