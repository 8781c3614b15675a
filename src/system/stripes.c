/* SPDX-License-Identifier: Apache-2.0 */
/* Asks file systems for the layout of files, and puts it in words. */
#include "stripes.h"

#include "weir/system/small_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static void add_size(struct weir_text *text, uint64_t bytes)
{
    char size[WEIR_SIZE_TEXT_BYTES];

    weir_text_add(text, "%s", weir_size_format(bytes, size));
}

static void add_stripes(struct weir_text *text, uint64_t count, uint64_t bytes)
{
    weir_text_add(text, "%" PRIu64 " stripe%s of ", count, count == 1 ? "" : "s");
    add_size(text, bytes);
}

/* ---- Lustre ---- */

/* Layouts of the user interface, in the byte order of the host: a word that tells the version, then
 * what is at these offsets. */
#define LUSTRE_V1 UINT32_C(0x0bd10bd0)
#define LUSTRE_V3 UINT32_C(0x0bd30bd0) /* with a pool */
#define LUSTRE_COMPOSITE UINT32_C(0x0bd60bd0)

enum {
    PLAIN_PATTERN = 4,
    PLAIN_STRIPE_BYTES = 24,
    PLAIN_STRIPE_COUNT = 28,
    PLAIN_BYTES = 32,
    PLAIN_POOL = 32,
    PLAIN_POOL_BYTES = 16,
    COMPOSITE_COUNT = 14,
    COMPOSITE_PARTS = 32,
    PART_BEGIN = 8, /* within a part */
    PART_OFFSET = 24,
    PART_BYTES = 48
};

#define PATTERN_ON_METADATA UINT32_C(0x100)
#define ALL_TARGETS UINT16_MAX

struct layout {
    const unsigned char *data;
    size_t bytes;
};

static uint16_t half_at(struct layout layout, size_t offset)
{
    uint16_t value;

    memcpy(&value, layout.data + offset, sizeof value);
    return value;
}

static uint32_t word_at(struct layout layout, size_t offset)
{
    uint32_t value;

    memcpy(&value, layout.data + offset, sizeof value);
    return value;
}

static uint64_t long_at(struct layout layout, size_t offset)
{
    uint64_t value;

    memcpy(&value, layout.data + offset, sizeof value);
    return value;
}

static void add_pool(struct layout layout, struct weir_text *text)
{
    char pool[PLAIN_POOL_BYTES + 1] = "";

    if (word_at(layout, 0) != LUSTRE_V3 || layout.bytes < PLAIN_POOL + PLAIN_POOL_BYTES)
        return;
    memcpy(pool, layout.data + PLAIN_POOL, PLAIN_POOL_BYTES);
    if (pool[0] != '\0')
        weir_text_add(text, ", pool %s", pool);
}

/* Without a count or a size, the file system chooses. */
static bool add_plain(struct layout layout, struct weir_text *text)
{
    uint16_t count;
    uint32_t bytes;

    if (layout.bytes < PLAIN_BYTES ||
        (word_at(layout, 0) != LUSTRE_V1 && word_at(layout, 0) != LUSTRE_V3))
        return false;
    count = half_at(layout, PLAIN_STRIPE_COUNT);
    bytes = word_at(layout, PLAIN_STRIPE_BYTES);
    if (word_at(layout, PLAIN_PATTERN) & PATTERN_ON_METADATA)
        weir_text_add(text, "on a metadata target");
    else if (count == 0 || bytes == 0)
        weir_text_add(text, "as the file system chooses");
    else if (count == ALL_TARGETS) {
        weir_text_add(text, "stripes of ");
        add_size(text, bytes);
        weir_text_add(text, " on all targets");
    } else
        add_stripes(text, count, bytes);
    add_pool(layout, text);
    return true;
}

static bool add_part(struct layout layout, size_t part, struct weir_text *text)
{
    uint64_t begin = long_at(layout, part + PART_BEGIN);
    size_t offset = word_at(layout, part + PART_OFFSET);

    if (offset >= layout.bytes)
        return false;
    weir_text_add(text, "%sfrom ", text->length > 0 ? "; " : "");
    if (begin == 0)
        weir_text_add(text, "0");
    else
        add_size(text, begin);
    weir_text_add(text, ": ");
    return add_plain((struct layout){layout.data + offset, layout.bytes - offset}, text);
}

static bool add_parts(struct layout layout, struct weir_text *text)
{
    const size_t count = layout.bytes < COMPOSITE_PARTS ? 0 : half_at(layout, COMPOSITE_COUNT);

    if (count == 0 || COMPOSITE_PARTS + count * PART_BYTES > layout.bytes)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!add_part(layout, COMPOSITE_PARTS + i * PART_BYTES, text))
            return false;
    return true;
}

void weir_stripes_of_lustre(const void *layout, size_t bytes, struct weir_text *text)
{
    const struct layout whole = {layout, bytes};
    struct weir_text words = {0};
    bool is_known = false;

    if (bytes >= sizeof(uint32_t) && word_at(whole, 0) == LUSTRE_COMPOSITE)
        is_known = add_parts(whole, &words);
    else if (bytes >= sizeof(uint32_t))
        is_known = add_plain(whole, &words);
    if (is_known)
        weir_text_add_visible(text, weir_text_string(&words));
    weir_text_close(&words);
}

/* ---- CephFS ---- */

/* "stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=data" */
static bool find_word(const char *layout, const char *name, uint64_t *number)
{
    const char *at = strstr(layout, name);

    return at != NULL && sscanf(at + strlen(name), "%" SCNu64, number) == 1;
}

void weir_stripes_of_ceph(const char *layout, struct weir_text *text)
{
    const char *pool = strstr(layout, "pool=");
    uint64_t unit, count, object;
    char name[128];

    if (!find_word(layout, "stripe_unit=", &unit) || !find_word(layout, "stripe_count=", &count) ||
        !find_word(layout, "object_size=", &object))
        return;
    add_stripes(text, count, unit);
    weir_text_add(text, " in objects of ");
    add_size(text, object);
    if (pool == NULL)
        return;
    snprintf(name, sizeof name, ", pool %.*s", (int)strcspn(pool + 5, " "), pool + 5);
    weir_text_add_visible(text, name);
}

/* ---- GlusterFS ---- */

/* Each layer and each brick is "<KIND:name>" or "<POSIX(directory):host:path>"; a kind is told
 * once. Bricks are those that have a part of the file, or of the directory, and are up. */
static unsigned read_bricks(const char *places, struct weir_text *kinds)
{
    unsigned bricks = 0;

    for (const char *at = strchr(places, '<'); at != NULL; at = strchr(at + 1, '<')) {
        char kind[32];
        int length = (int)strcspn(at + 1, ":(>");

        if (strncmp(at, "<POSIX(", 7) == 0) {
            bricks++;
            continue;
        }
        snprintf(kind, sizeof kind, "%.*s", length, at + 1);
        for (char *c = kind; *c != '\0'; c++)
            *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        if (strstr(weir_text_string(kinds), kind) == NULL)
            weir_text_add(kinds, "%s%s", kinds->length > 0 ? ", " : "", kind);
    }
    return bricks;
}

void weir_stripes_of_gluster(const char *places, const char *around, struct weir_text *text)
{
    struct weir_text kinds = {0}, kinds_around = {0};
    unsigned bricks = read_bricks(places, &kinds);
    unsigned bricks_around = around != NULL ? read_bricks(around, &kinds_around) : 0;
    bool is_part = bricks > 0 && bricks_around > bricks;
    struct weir_text *shown = is_part ? &kinds_around : &kinds;

    if (is_part)
        weir_text_add(shown, "%s%u bricks, this file on %u", shown->length > 0 ? " over " : "",
                      bricks_around, bricks);
    else if (bricks > 0)
        weir_text_add(shown, "%s%u brick%s", shown->length > 0 ? " over " : "", bricks,
                      bricks == 1 ? "" : "s");
    if (bricks > 0)
        weir_text_add_visible(text, weir_text_string(shown));
    weir_text_close(&kinds);
    weir_text_close(&kinds_around);
}

/* VOLUME-client-3 speaks with one brick. */
static bool is_gluster_client(const char *name)
{
    const char *at = strstr(name, "-client-");

    return at != NULL && at[8] != '\0' && at[8 + strspn(at + 8, "0123456789")] == '\0';
}

bool weir_stripes_count_bricks(const char *graph, unsigned *count, unsigned *down)
{
    unsigned brick_count = 0, down_count = 0;
    struct weir_name_list parts;
    bool is_dispersed = false;

    weir_name_list_open(&parts, "%s", graph);
    for (size_t i = 0; i < parts.count; i++) {
        const char *name = parts.entries[i]->d_name;
        char path[WEIR_ROOTED_PATH_BYTES], state[8];

        is_dispersed |= strstr(name, "-disperse-") != NULL;
        if (!is_gluster_client(name))
            continue;
        brick_count++;
        snprintf(path, sizeof path, "%s/%s/private", graph, name);
        down_count += weir_small_file_field(path, "connected", state, sizeof state) &&
                      strcmp(state, "0") == 0;
    }
    weir_name_list_close(&parts);
    *count = brick_count;
    *down = down_count;
    return is_dispersed;
}

bool weir_stripes_of_gluster_client(const char *graph, struct weir_text *text)
{
    unsigned brick_count, down_count;
    bool is_dispersed = weir_stripes_count_bricks(graph, &brick_count, &down_count);

    if (brick_count > 0 && text->length == 0)
        weir_text_add(text, "%s%u brick%s", is_dispersed ? "disperse over " : "", brick_count,
                      brick_count == 1 ? "" : "s");
    if (down_count > 0)
        weir_text_add(text, ", %u of the volume's %u bricks %s down", down_count, brick_count,
                      down_count == 1 ? "is" : "are");
    return brick_count > 0;
}

/* ---- asking ---- */

/* With a NUL behind it; to be freed. NULL if there is none. */
static char *read_attribute(const char *path, const char *name, size_t *bytes)
{
    ssize_t size = getxattr(path, name, NULL, 0);
    char *value;

    if (size <= 0)
        return NULL;
    value = calloc(1, (size_t)size + 1);
    if (value == NULL)
        return NULL;
    /* It may have changed since. */
    size = getxattr(path, name, value, (size_t)size);
    if (size > 0) {
        *bytes = (size_t)size;
        return value;
    }
    free(value);
    return NULL;
}

static void ask_lustre(const char *path, struct weir_text *text)
{
    size_t bytes;
    char *layout = read_attribute(path, "lustre.lov", &bytes);

    if (layout != NULL)
        weir_stripes_of_lustre(layout, bytes, text);
    free(layout);
}

/* A directory without a layout of its own has that of the nearest above it that has one. */
static void ask_ceph(const char *path, struct weir_text *text)
{
    char place[PATH_MAX];
    size_t bytes;
    char *layout = read_attribute(path, "ceph.file.layout", &bytes);

    if (snprintf(place, sizeof place, "%s", path) >= (int)sizeof place)
        place[0] = '\0';
    while (layout == NULL && place[0] != '\0') {
        layout = read_attribute(place, "ceph.dir.layout", &bytes);
        if (layout == NULL && !weir_text_cut_name(place))
            break;
    }
    if (layout != NULL)
        weir_stripes_of_ceph(layout, text);
    free(layout);
}

/* Only the top of a mount has the state of its client. */
static bool ask_gluster_client(const char *path, struct weir_text *text)
{
    char place[PATH_MAX], graph[WEIR_ROOTED_PATH_BYTES];

    if (snprintf(place, sizeof place, "%s", path) >= (int)sizeof place)
        return false;
    do {
        snprintf(graph, sizeof graph, "%s/.meta/graphs/active", place);
        if (weir_stripes_of_gluster_client(graph, text))
            return true;
    } while (weir_text_cut_name(place));
    return false;
}

static char *read_gluster_places(const char *path)
{
    size_t bytes;
    char *places = read_attribute(path, "glusterfs.pathinfo", &bytes);

    return places != NULL ? places : read_attribute(path, "trusted.glusterfs.pathinfo", &bytes);
}

/* Other files of the test may be on other bricks than the first one: those of its directory. */
static void ask_gluster(const char *path, struct weir_text *text)
{
    char *places = read_gluster_places(path), *around = NULL;
    char directory[PATH_MAX];
    struct stat facts;

    if (stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode) &&
        snprintf(directory, sizeof directory, "%s", path) < (int)sizeof directory &&
        weir_text_cut_name(directory))
        around = read_gluster_places(directory);
    if (places != NULL)
        weir_stripes_of_gluster(places, around, text);
    free(places);
    free(around);
    if (!ask_gluster_client(path, text) && text->length > 0)
        weir_text_add(text, " (those that are up)");
}

void weir_stripes_describe(const char *path, const char *type, struct weir_text *text)
{
    static const struct {
        const char *type;
        void (*ask)(const char *path, struct weir_text *text);
    } file_systems[] = {
        {"lustre", ask_lustre},          {"ceph", ask_ceph},
        {"fuse.ceph", ask_ceph},         {"fuse.ceph-fuse", ask_ceph},
        {"fuse.glusterfs", ask_gluster},
    };
    struct weir_text words = {0};
    struct stat facts;

    for (size_t i = 0; i < sizeof file_systems / sizeof *file_systems; i++)
        if (strcmp(file_systems[i].type, type) == 0)
            file_systems[i].ask(path, &words);
    if (words.length > 0)
        weir_text_add(text, "%s%s",
                      stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) ? "new files: " : "",
                      weir_text_string(&words));
    weir_text_close(&words);
}
