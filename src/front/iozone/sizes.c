/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, counts and tests: how often what is done. */
#include "lowering.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define KB UINT64_C(1024)
#define MB (KB * KB)
#define LIST_MAX 4096
#define TESTS 13

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)

/* ---- values ---- */

int weir_iozone_size_parse(const char *text, uint64_t *bytes)
{
    char copy[64];
    size_t length = strlen(text);

    if (length == 0 || length + 2 > sizeof copy)
        return -EINVAL;
    memcpy(copy, text, length + 1);
    if (isdigit((unsigned char)copy[length - 1])) {
        copy[length] = 'k';
        copy[length + 1] = '\0';
    }
    return weir_size_parse(copy, bytes);
}

size_t weir_iozone_split(struct weir_arena *arena, const char *text, const char *const **pieces)
{
    const char **made;
    size_t count = 1, found = 0;

    for (const char *byte = text; *byte != '\0'; byte++)
        count += *byte == WEIR_IOZONE_SEPARATOR;
    made = weir_arena_take(arena, count * sizeof *made);
    for (; found < count; found++) {
        size_t length = strcspn(text, "\n");

        made[found] = weir_arena_printf(arena, "%.*s", (int)length, text);
        text += length + (text[length] != '\0');
    }
    *pieces = made;
    return count;
}

static void append(const struct weir_iozone_lowering *lowering, struct weir_iozone_list *list,
                   uint64_t value)
{
    if (list->values == NULL)
        list->values =
            weir_arena_take(&lowering->base.plan->arena, LIST_MAX * sizeof *list->values);
    if (list->count < LIST_MAX)
        list->values[list->count++] = value;
}

int weir_iozone_read_sizes(const struct weir_iozone_lowering *lowering, const char *option,
                           const char *text, struct weir_iozone_list *list)
{
    const char *const *pieces;
    size_t count = weir_iozone_split(&lowering->base.plan->arena, text, &pieces);

    for (size_t i = 0; i < count; i++) {
        uint64_t bytes;

        if (weir_iozone_size_parse(pieces[i], &bytes) || bytes == 0 || bytes > INT64_MAX)
            return REFUSE(lowering,
                          "%s: \"%s\" is no size; give kilobytes, or a number with k, m, g or t",
                          option, pieces[i]);
        append(lowering, list, bytes);
    }
    return 0;
}

int weir_iozone_read_counts(const struct weir_iozone_lowering *lowering, const char *option,
                            const char *text, struct weir_iozone_list *list)
{
    const char *const *pieces;
    size_t count = weir_iozone_split(&lowering->base.plan->arena, text, &pieces);

    for (size_t i = 0; i < count; i++) {
        int64_t value;

        if (weir_integer_parse(pieces[i], &value) || value < 1 ||
            (uint64_t)value > WEIR_PLAN_RANKS_MAX)
            return REFUSE(lowering, "%s: \"%s\" is no number of children; give 1 or more", option,
                          pieces[i]);
        append(lowering, list, (uint64_t)value);
    }
    return 0;
}

/* ---- tests ---- */

static int refuse_test(const struct weir_iozone_lowering *lowering, const char *text, int64_t test)
{
    if (test == 11 || test == 12)
        return REFUSE(lowering,
                      "-i: test %" PRId64 " moves vectors, which stock builds of IOzone do not "
                      "have either; give 9 or 10",
                      test);
    return REFUSE(lowering, "-i: \"%s\" is no test; give 0 to 10", text);
}

static int read_tests(struct weir_iozone_lowering *lowering)
{
    const char *const *pieces;
    size_t count = 0;

    if (lowering->config->tests != NULL)
        count = weir_iozone_split(&lowering->base.plan->arena, lowering->config->tests, &pieces);
    for (size_t i = 0; i < count; i++) {
        int64_t test = -1;

        if (weir_integer_parse(pieces[i], &test) || test < 0 || test > 10)
            return refuse_test(lowering, pieces[i], test);
        lowering->selected |= 1U << test;
    }
    if (lowering->config->is_old_auto)
        lowering->selected |= 3U;
    if (lowering->selected == 0)
        lowering->selected = lowering->config->write_list || lowering->config->read_list ? 3U
                             : lowering->is_throughput                                   ? 0x7efU
                                                                                         : 0xffU;
    if (lowering->config->has_pwrite && !lowering->is_throughput && count == 0)
        lowering->selected |= 3U << 9;
    return 0;
}

/* ---- how many of what ---- */

bool weir_iozone_has_bounds(const struct weir_iozone_config *config)
{
    return config->largest_file || config->smallest_file || config->largest_record ||
           config->smallest_record;
}

static int read_bound(const struct weir_iozone_lowering *lowering, const char *option,
                      const char *text, uint64_t standard, uint64_t *bytes)
{
    struct weir_iozone_list list = {0};

    *bytes = standard;
    if (text == NULL)
        return 0;
    if (weir_iozone_read_sizes(lowering, option, text, &list))
        return -EINVAL;
    *bytes = list.values[0];
    return 0;
}

/* Sizes of auto mode, from the smallest on, each so many times the one before. */
static int grow(const struct weir_iozone_lowering *lowering, const char *what, uint64_t least,
                uint64_t most, struct weir_iozone_list *list)
{
    if (least > most)
        return REFUSE(lowering, "%s: the smallest is larger than the largest", what);
    for (uint64_t size = least; size <= most; size *= (uint64_t)lowering->config->growth) {
        append(lowering, list, size);
        if (size > most / (uint64_t)lowering->config->growth)
            break;
    }
    return 0;
}

static int lower_auto(struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    uint64_t least, most;

    if (lowering->sizes.count == 0 &&
        (read_bound(lowering, "-n", config->smallest_file, 64 * KB, &least) ||
         read_bound(lowering, "-g", config->largest_file, 512 * MB, &most) ||
         grow(lowering, "-n, -g", least, most, &lowering->sizes)))
        return -EINVAL;
    if (lowering->records.count == 0 &&
        (read_bound(lowering, "-y", config->smallest_record, 4 * KB, &least) ||
         read_bound(lowering, "-q", config->largest_record, 16 * MB, &most) ||
         grow(lowering, "-y, -q", least, most, &lowering->records)))
        return -EINVAL;
    return 0;
}

static int lower_counts(struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    uint64_t least = (uint64_t)config->least_children, most = (uint64_t)config->most_children;

    if (config->children &&
        weir_iozone_read_counts(lowering, "-t", config->children, &lowering->counts))
        return -EINVAL;
    if (config->children || (least == 0 && most == 0))
        return 0;
    least = least > 0 ? least : 1;
    most = most > 0 ? most : least;
    if (least > most)
        return REFUSE(lowering, "-l, -u: from %" PRIu64 " to %" PRIu64 " there are no counts",
                      least, most);
    if (most - least >= LIST_MAX)
        return REFUSE(lowering, "-l, -u: more than %d counts; give some of them with -t", LIST_MAX);
    for (; least <= most; least++)
        append(lowering, &lowering->counts, least);
    return 0;
}

bool weir_iozone_is_skipped(const struct weir_iozone_lowering *lowering, uint64_t file_bytes,
                            uint64_t record_bytes)
{
    const struct weir_iozone_config *config = lowering->config;
    bool is_walk = lowering->is_auto && config->records == NULL;

    return is_walk &&
           (record_bytes > file_bytes || (file_bytes > 16 * MB && record_bytes < 64 * KB &&
                                          !config->has_no_crossover && !config->is_old_auto));
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The file that the lists need: what test 0 writes in records has whole ones. 0: there is none. */
static uint64_t listed_bytes(const struct weir_iozone_lowering *lowering)
{
    uint64_t end = lowering->reads.listing.end;
    uint64_t record = lowering->records.count > 0 ? lowering->records.values[0] : 4 * KB;

    if (lowering->writes.listing.end > 0)
        return lowering->writes.listing.end;
    return lowering->selected & 1U ? (end + record - 1) / record * record : end;
}

int weir_iozone_lower_sizes(struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;

    if ((config->sizes &&
         weir_iozone_read_sizes(lowering, "-s", config->sizes, &lowering->sizes)) ||
        (config->records &&
         weir_iozone_read_sizes(lowering, "-r", config->records, &lowering->records)) ||
        lower_counts(lowering))
        return -EINVAL;
    lowering->is_throughput = lowering->counts.count > 0 || config->host_list;
    /* As in the original, bounds alone do not begin auto mode. Lists do, and sizes without a list
     * then cover the whole range. */
    lowering->is_auto = config->is_auto || config->is_old_auto || lowering->sizes.count > 1 ||
                        lowering->records.count > 1;
    if (lowering->is_throughput && (lowering->is_auto || weir_iozone_has_bounds(config))) {
        const char *given = GIVEN(lowering, "auto", "auto-old", "smallest-file", "largest-file",
                                  "smallest-record", "largest-record");

        return REFUSE(lowering,
                      "%s%s of one stream; leave them or -t out, or use weir sweep for many sizes",
                      given,
                      *given                      ? ": options"
                      : lowering->sizes.count > 1 ? "-s: lists are"
                                                  : "-r: lists are");
    }
    if (lowering->is_auto && lower_auto(lowering))
        return -EINVAL;
    if (read_tests(lowering) || weir_iozone_lower_telemetry(lowering))
        return -EINVAL;
    if (lowering->sizes.count == 0)
        append(lowering, &lowering->sizes,
               listed_bytes(lowering) ? listed_bytes(lowering) : 512 * KB);
    if (lowering->records.count == 0)
        append(lowering, &lowering->records, least(4 * KB, lowering->sizes.values[0]));
    return 0;
}
