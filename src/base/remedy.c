/* SPDX-License-Identifier: Apache-2.0 */
/* Names of remedies in sentences become words of a dialect. */
#include "weir/base/remedy.h"

#include <string.h>

const struct weir_remedy_word weir_remedy_neutral[] = {
    {WEIR_REMEDY_PATH, "the option for the path"},
    {WEIR_REMEDY_BACKEND, "the backend"},
    {WEIR_REMEDY_FILE_PER_RANK, "a file for each rank"},
    {WEIR_REMEDY_PACKAGE_DIRECTORIES, "directories of processor packages"},
    {WEIR_REMEDY_ROOT, "the option for a directory"},
    {WEIR_REMEDY_ANYWHERE, "allow all directories"},
    {WEIR_REMEDY_DEVICE, "another command"},
    {WEIR_REMEDY_DEVICE_FORCE, "another command"},
    {WEIR_REMEDY_KEEP, "the option that keeps files"},
    {WEIR_REMEDY_KEEP_FAILED, "the option that keeps files after errors"},
    {WEIR_REMEDY_KEEP_OPEN, "the option that keeps files open"},
    {WEIR_REMEDY_USE_EXISTING, "the option that takes files that are there"},
    {WEIR_REMEDY_REMOVE, "a run that only removes"},
    {WEIR_REMEDY_WRITE, "a write"},
    {WEIR_REMEDY_READ, "a read"},
    {WEIR_REMEDY_TRANSFER_SIZE, "the transfer size"},
    {WEIR_REMEDY_BLOCK_SIZE, "the block size"},
    {WEIR_REMEDY_LESS_DATA, "less data for each rank"},
    {WEIR_REMEDY_REPETITIONS, "repetitions"},
    {WEIR_REMEDY_DEADLINE, "a deadline"},
    {WEIR_REMEDY_LONGER_PHASE, "a time that phases last at least"},
    {WEIR_REMEDY_SYNC, "a sync at the end"},
    {WEIR_REMEDY_SYNC_ALL, "a sync of the file system at the end"},
    {WEIR_REMEDY_WEAR_OUT, "wear-out"},
    {WEIR_REMEDY_FEWER_RANKS, "ask for fewer"},
    {WEIR_REMEDY_BUFFERED, "leave --direct out"},
    {WEIR_REMEDY_SHIFT_NODES, "a shift by nodes"},
    {WEIR_REMEDY_SHIFT_RANDOM, "a random shift"},
    {WEIR_REMEDY_SHIFT_PERMUTATION, "a random shift of all ranks"},
    {WEIR_REMEDY_SHIFT_DISTANCE, "a shift distance"},
    {WEIR_REMEDY_FOREIGN_DATA, "the option for data of another benchmark"},
    {WEIR_REMEDY_UNKNOWN_DATA, "read it without a check"},
    {WEIR_REMEDY_PATTERN, "the pattern"},
    {WEIR_REMEDY_SEED, "the seed"},
    {WEIR_REMEDY_VERIFY_WRITES, "the check after a write"},
    {WEIR_REMEDY_VERIFY_READS, "the check of each read"},
    {WEIR_REMEDY_OUTLIERS, "the limit of outliers"},
    {WEIR_REMEDY_DETAILS, "--details"},
    {WEIR_REMEDY_REPORT_FILE, "file of the report"},
    {WEIR_REMEDY_RANK_FILE, "file of the figures of ranks"},
    {WEIR_REMEDY_OP_FILES, "files of the times of transfers"},
    {WEIR_REMEDY_HISTOGRAMS, "files of the latencies of ranks"},
    {WEIR_REMEDY_STATUS_FILE, "file of the count of transfers"},
    {WEIR_REMEDY_STATUS_WRITER, "a write with a deadline and wear-out"},
    {WEIR_REMEDY_HOG_PER_RANK, "memory taken away per rank"},
    {WEIR_REMEDY_HOG_PER_NODE, "memory taken away per node"},
    {0},
};

static const char *find(const struct weir_remedy_word *words, const char *text, size_t *length)
{
    for (; words != NULL && words->remedy != NULL; words++) {
        *length = strlen(words->remedy);
        if (strncmp(text, words->remedy, *length) == 0)
            return words->word;
    }
    return NULL;
}

size_t weir_remedy_spell(const struct weir_remedy_word *words, const char *text, char *copy,
                         size_t bytes)
{
    size_t used = 0;

    while (*text != '\0') {
        size_t length = 0;
        const char *word = *text == '{' ? find(words, text, &length) : NULL;

        if (word == NULL && *text == '{')
            word = find(weir_remedy_neutral, text, &length);
        if (word == NULL) { /* no remedy: a character as it is */
            if (used + 1 < bytes)
                copy[used] = *text;
            used++;
            text++;
            continue;
        }
        for (text += length; *word != '\0'; word++, used++)
            if (used + 1 < bytes)
                copy[used] = *word;
    }
    if (bytes > 0)
        copy[used < bytes ? used : bytes - 1] = '\0';
    return used;
}
