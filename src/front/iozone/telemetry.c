/* SPDX-License-Identifier: Apache-2.0 */
/* Telemetry files of -X and -Y: lines of offset, bytes and maybe milliseconds become lists of
 * transfers. */
#include "lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define WORD_BYTES 32

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)

/* A file that is being read. */
struct reading {
    struct weir_iozone_lowering *lowering;
    const char *option, *path;
    uint64_t file_bytes; /* no transfer ends behind them */
    struct weir_listed *transfers;
    struct weir_iozone_telemetry *list;
};

static int read_words(const struct reading *reading, const char *line, size_t number,
                      uint64_t values[3])
{
    char words[4][WORD_BYTES];
    int count = sscanf(line, "%31s %31s %31s %31s", words[0], words[1], words[2], words[3]);

    values[2] = 0;
    if (count < 2 || count > 3 || weir_size_parse(words[0], &values[0]) ||
        weir_size_parse(words[1], &values[1]) ||
        (count == 3 && weir_time_parse(words[2], NS_PER_MS, &values[2])))
        return REFUSE(reading->lowering,
                      "%s: %s:%zu: a line is OFFSET BYTES and maybe MILLISECONDS before it",
                      reading->option, reading->path, number);
    return 0;
}

static int read_line(struct reading *reading, const char *line, size_t number)
{
    struct weir_listing *listing = &reading->list->listing;
    uint64_t values[3], end;

    if (line[0] == '#' || line[strspn(line, " \t\r")] == '\0')
        return 0;
    if (read_words(reading, line, number, values))
        return -EINVAL;
    end = values[0] + values[1]; /* each is below 2^63 */
    if (values[1] == 0 || values[1] > WEIR_LISTED_BYTES_MAX ||
        values[2] / NS_PER_US > WEIR_LISTED_PAUSE_US_MAX || end > INT64_MAX)
        return REFUSE(reading->lowering,
                      "%s: %s:%zu: a transfer has 1 byte to 1g, and up to an hour before it",
                      reading->option, reading->path, number);
    if (end > reading->file_bytes)
        return REFUSE(
            reading->lowering,
            "%s: %s:%zu: %" PRIu64 " bytes at %" PRIu64 " are not in the file of %" PRIu64 " bytes",
            reading->option, reading->path, number, values[1], values[0], reading->file_bytes);
    if (listing->count == WEIR_LISTED_COUNT_MAX)
        return REFUSE(reading->lowering, "%s: %s:%zu: a list has at most %" PRIu64 " transfers",
                      reading->option, reading->path, number, WEIR_LISTED_COUNT_MAX);
    reading->transfers[listing->count++] =
        (struct weir_listed){values[0], (uint32_t)values[1], (uint32_t)(values[2] / NS_PER_US)};
    values[2] -= values[2] % NS_PER_US;
    listing->end = end > listing->end ? end : listing->end;
    listing->pauses_ns += values[2];
    if (values[2] > listing->longest_pause_ns)
        listing->longest_pause_ns = values[2];
    reading->list->bytes += values[1];
    if (values[1] > reading->list->largest)
        reading->list->largest = values[1];
    return 0;
}

static int read_list(struct weir_iozone_lowering *lowering, const char *option, const char *path,
                     uint64_t file_bytes, struct weir_iozone_telemetry *list)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    struct reading reading = {lowering, option, path, file_bytes, NULL, list};
    const char *text = weir_iozone_read_file(lowering, option, path);
    const char *const *lines;
    size_t count = text ? weir_iozone_split(arena, text, &lines) : 0;

    if (text == NULL)
        return -EINVAL;
    reading.transfers =
        weir_arena_take(arena, (count < WEIR_LISTED_COUNT_MAX ? count : WEIR_LISTED_COUNT_MAX) *
                                   sizeof *reading.transfers);
    for (size_t i = 0; i < count; i++)
        if (read_line(&reading, lines[i], i + 1))
            return -EINVAL;
    if (list->listing.count == 0)
        return REFUSE(lowering, "%s: %s has no line", option, path);
    /* Buffers are filled by whole words. */
    list->largest += -list->largest % sizeof(uint64_t);
    list->listing.path = path;
    list->listing.transfers = reading.transfers;
    list->listing.hash = weir_text_hash((const char *)reading.transfers,
                                        list->listing.count * sizeof *reading.transfers);
    return 0;
}

static int check(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;

    const char *lists = GIVEN(lowering, "write-telemetry", "read-telemetry");

    if (lowering->is_auto)
        return REFUSE(lowering,
                      "%s: a list has sizes of its own; leave -a, -A, -n, -g, -y, -q and lists of "
                      "-s and -r out",
                      lists);
    if (lowering->selected & ~3U)
        return REFUSE(lowering, "%s: tests 0 and 1 alone go by a list; leave others out", lists);
    if (config->write_list && !(lowering->selected & 1U))
        return REFUSE(lowering, "-X: a list of writes, and test 0 is not run; give -i 0");
    if (config->read_list && !(lowering->selected & 2U))
        return REFUSE(lowering, "-Y: a list of reads, and test 1 is not run; give -i 1");
    if (config->write_list && config->sizes)
        return REFUSE(lowering, "-X: the file is as long as its list says; leave -s out");
    if (config->splits_total)
        return REFUSE(lowering, "-+k: a list is of the file of each child; leave it out");
    if (config->verifies || config->pattern)
        return REFUSE(lowering, "-V, -+d: what a list leaves in a file is not verified; leave one "
                                "of both out");
    return 0;
}

int weir_iozone_lower_telemetry(struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    uint64_t file_bytes = lowering->sizes.count > 0 ? lowering->sizes.values[0] : INT64_MAX;

    if (!config->write_list && !config->read_list)
        return 0;
    if (check(lowering))
        return -EINVAL;
    if (config->write_list &&
        read_list(lowering, "-X", config->write_list, INT64_MAX, &lowering->writes))
        return -EINVAL;
    if (config->write_list)
        file_bytes = lowering->writes.listing.end;
    return config->read_list
               ? read_list(lowering, "-Y", config->read_list, file_bytes, &lowering->reads)
               : 0;
}
