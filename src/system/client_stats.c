/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the statistics that Lustre, NFS and CephFS clients publish in /proc, /sys and debugfs.
 *
 * Which files these are is in tests/unit/client_trees/README.md, with the documents that describe
 * them. GPFS publishes no such counters: fs_io_s and io_s of mmpmon are documented as bytes "from
 * both disk and cache". BeeGFS keeps them on its servers. */
#include "client_stats.h"

#include "weir/system/environment.h"

#include "weir/system/shell.h"
#include "weir/system/small_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* 0.2 ms: two readings per phase then stay below the millisecond that a phase may cost. */
#define DEAR_NS UINT64_C(200000)
#define DEAR_INTERVAL_NS UINT64_C(1000000000)
#define MMLSCONFIG_LIMIT_NS UINT64_C(2000000000)
#define MIB (UINT64_C(1) << 20)

struct client_file;
typedef bool parse_function(const struct weir_client_watch *watch, char *text,
                            struct weir_traffic *traffic);

struct client_file {
    char *path;
    parse_function *parse;
};

struct weir_client_watch {
    size_t file_count;
    struct client_file *files;
    char mount_point[256]; /* as the facts have it */
    char *text;            /* of one file at a time */
    size_t text_bytes;
    uint64_t cost_ns; /* of the latest reading */
    bool is_reused;   /* the latest reading was returned by a later call, too */
    struct weir_traffic latest;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Reads the whole file; NULL if it cannot be read. */
static char *read_whole(struct weir_client_watch *watch, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t count;

    if (fd < 0)
        return NULL;
    for (;;) {
        if (watch->text_bytes - length < 2) {
            const size_t bytes = watch->text_bytes == 0 ? 16384 : 2 * watch->text_bytes;
            char *grown = realloc(watch->text, bytes);

            if (grown == NULL) {
                close(fd);
                return NULL;
            }
            watch->text = grown;
            watch->text_bytes = bytes;
        }
        count = read(fd, watch->text + length, watch->text_bytes - length - 1);
        if (count <= 0)
            break;
        length += (size_t)count;
    }
    close(fd);
    watch->text[length] = '\0';
    return count < 0 ? NULL : watch->text;
}

/* ---- Lustre ---- */

/* "read_bytes 2 samples [bytes] 4096 1048576 1052672": of osc and mdc devices these are bytes of
 * RPCs. A counter that has no line has not counted yet. */
static bool parse_rpc_bytes(const struct weir_client_watch *watch, char *text,
                            struct weir_traffic *traffic)
{
    char *rest = text, *line;

    (void)watch;
    while ((line = strsep(&rest, "\n")) != NULL) {
        uint64_t sum;
        char name[32], unit[16];

        if (sscanf(line, "%31s %*u samples %15s %*u %*u %" SCNu64, name, unit, &sum) != 3 ||
            strcmp(unit, "[bytes]") != 0)
            continue;
        if (strcmp(name, "read_bytes") == 0)
            traffic->client_read_bytes += sum;
        else if (strcmp(name, "write_bytes") == 0)
            traffic->client_written_bytes += sum;
    }
    return true;
}

static bool parse_dirty_bytes(const struct weir_client_watch *watch, char *text,
                              struct weir_traffic *traffic)
{
    (void)watch;
    traffic->client_dirty_bytes += strtoull(text, NULL, 10);
    return true;
}

/* "max_cached_mb: 98304" and "used_mb: 12" on lines of their own; old releases have the limit as a
 * bare number. */
static bool parse_cached_mb(const struct weir_client_watch *watch, char *text,
                            struct weir_traffic *traffic)
{
    const char *limit = strstr(text, "max_cached_mb:"), *used = strstr(text, "\nused_mb:");

    (void)watch;
    traffic->client_cache_bytes +=
        strtoull(limit != NULL ? limit + strlen("max_cached_mb:") : text, NULL, 10) * MIB;
    if (used != NULL)
        traffic->client_cached_bytes += strtoull(used + strlen("\nused_mb:"), NULL, 10) * MIB;
    return true;
}

/* ---- NFS ---- */

/* Eight numbers after "bytes:", of which the fifth and sixth are the payloads of READ and WRITE.
 * Mounts of one export share them. Points are written as in mountinfo; the facts have them made
 * visible, so that a point with a blank in it is not found. */
static bool parse_mountstats(const struct weir_client_watch *watch, char *text,
                             struct weir_traffic *traffic)
{
    char *rest = text, *line;
    bool is_ours = false, is_found = false;

    while ((line = strsep(&rest, "\n")) != NULL) {
        uint64_t from_server, to_server;
        char point[512];

        if (strncmp(line, "device ", 7) == 0) {
            is_ours = sscanf(line, "device %*s mounted on %511s with fstype nfs", point) == 1 &&
                      strcmp(point, watch->mount_point) == 0;
        } else if (is_ours && sscanf(line, " bytes: %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
                                     &from_server, &to_server) == 2) {
            /* A later mount at the same point hides the earlier one. */
            traffic->client_read_bytes = from_server;
            traffic->client_written_bytes = to_server;
            is_found = true;
        }
    }
    return is_found;
}

/* ---- CephFS in the kernel ---- */

/* The table whose heading ends with "total_sz(bytes)": rows "read" and "write", and their last
 * column. */
static bool parse_ceph_sizes(const struct weir_client_watch *watch, char *text,
                             struct weir_traffic *traffic)
{
    char *rest = strstr(text, "total_sz(bytes)"), *line;
    bool has_read = false, has_written = false;

    (void)watch;
    while (rest != NULL && (line = strsep(&rest, "\n")) != NULL) {
        uint64_t bytes;
        char name[16];

        if (sscanf(line, "%15s %*u %*u %*u %*u %" SCNu64, name, &bytes) != 2)
            continue;
        if (strcmp(name, "read") == 0 && !has_read) {
            traffic->client_read_bytes += bytes;
            has_read = true;
        } else if (strcmp(name, "write") == 0 && !has_written) {
            traffic->client_written_bytes += bytes;
            has_written = true;
        }
    }
    return has_read && has_written;
}

/* ---- which files ---- */

static void add_file(struct weir_client_watch *watch, const char *path, parse_function *parse)
{
    struct client_file *files;
    char *copy;

    if (access(path, R_OK) != 0)
        return;
    files = realloc(watch->files, (watch->file_count + 1) * sizeof *files);
    copy = strdup(path);
    if (files != NULL)
        watch->files = files;
    if (files == NULL || copy == NULL) {
        free(copy);
        return;
    }
    files[watch->file_count++] = (struct client_file){copy, parse};
}

/* Adds `file` of each directory DIRECTORY/PREFIX..., from the first of the places where there are
 * any: they have moved from /proc to /sys and debugfs over the years. */
static void add_lustre(struct weir_client_watch *watch, const char *root, const char *directory,
                       const char *prefix, const char *file, parse_function *parse)
{
    static const char *const places[] = {"/sys/kernel/debug/lustre", "/sys/fs/lustre",
                                         "/proc/fs/lustre"};
    const size_t count = watch->file_count;

    for (size_t i = 0; i < sizeof places / sizeof *places && watch->file_count == count; i++) {
        struct weir_name_list names;

        weir_name_list_open(&names, "%s%s/%s", root, places[i], directory);
        for (size_t j = 0; j < names.count; j++) {
            const char *name = names.entries[j]->d_name;
            char path[WEIR_ROOTED_PATH_BYTES];

            if (strncmp(name, prefix, strlen(prefix)) == 0 &&
                snprintf(path, sizeof path, "%s%s/%s/%s/%s", root, places[i], directory, name,
                         file) < (int)sizeof path)
                add_file(watch, path, parse);
        }
        weir_name_list_close(&names);
    }
}

bool weir_lustre_prefix(const char *source, char prefix[WEIR_LUSTRE_PREFIX_BYTES])
{
    const char *name = strstr(source, ":/");
    size_t length = name != NULL ? strcspn(name + 2, "/") : 0;

    if (length == 0)
        return false;
    snprintf(prefix, WEIR_LUSTRE_PREFIX_BYTES, "%.*s-", (int)length, name + 2);
    return true;
}

/* Two mounts of one file system are counted together. */
static void find_lustre(struct weir_client_watch *watch, const char *root,
                        const struct weir_storage_facts *facts)
{
    char prefix[WEIR_LUSTRE_PREFIX_BYTES];

    if (!weir_lustre_prefix(facts->source, prefix))
        return;
    add_lustre(watch, root, "osc", prefix, "stats", parse_rpc_bytes);
    /* Without these nothing is known of what crossed the network. */
    if (watch->file_count == 0)
        return;
    /* Small files may be on the metadata server. */
    add_lustre(watch, root, "mdc", prefix, "stats", parse_rpc_bytes);
    add_lustre(watch, root, "osc", prefix, "cur_dirty_bytes", parse_dirty_bytes);
    add_lustre(watch, root, "llite", prefix, "max_cached_mb", parse_cached_mb);
}

static void find_nfs(struct weir_client_watch *watch, const char *root,
                     const struct weir_storage_facts *facts)
{
    char path[WEIR_ROOTED_PATH_BYTES];

    (void)facts;
    snprintf(path, sizeof path, "%s/proc/self/mountstats", root);
    add_file(watch, path, parse_mountstats);
}

/* A directory per client, FSID.clientID. New sources name the fsid, "USER@FSID.NAME=/PATH"; of old
 * ones all clients are counted, which is too much and never too little. */
static void find_ceph(struct weir_client_watch *watch, const char *root,
                      const struct weir_storage_facts *facts)
{
    const char *sign = strchr(facts->source, '@');
    struct weir_name_list names;

    weir_name_list_open(&names, "%s/sys/kernel/debug/ceph", root);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.entries[i]->d_name;
        const size_t length = strcspn(name, ".");
        char path[WEIR_ROOTED_PATH_BYTES];

        if (sign != NULL && strchr(facts->source, '=') != NULL &&
            strncmp(sign + 1, name, length) != 0)
            continue;
        if (weir_small_file_is_there("%s/sys/kernel/debug/ceph/%s/metrics/size", root, name))
            snprintf(path, sizeof path, "%s/sys/kernel/debug/ceph/%s/metrics/size", root, name);
        else
            snprintf(path, sizeof path, "%s/sys/kernel/debug/ceph/%s/metrics", root, name);
        add_file(watch, path, parse_ceph_sizes);
    }
    weir_name_list_close(&names);
}

/* ---- reading ---- */

static void read_all(struct weir_client_watch *watch)
{
    const uint64_t begun_ns = now_ns();
    struct weir_traffic sum = {.has_client = true};

    for (size_t i = 0; i < watch->file_count && sum.has_client; i++) {
        char *text = read_whole(watch, watch->files[i].path);

        sum.has_client = text != NULL && watch->files[i].parse(watch, text, &sum);
    }
    sum.client_at_ns = now_ns();
    watch->cost_ns = sum.client_at_ns - begun_ns;
    watch->latest = sum;
}

struct weir_client_watch *weir_client_watch_open(const char *root,
                                                 const struct weir_storage_facts *facts)
{
    static const struct {
        const char *type;
        void (*find)(struct weir_client_watch *watch, const char *root,
                     const struct weir_storage_facts *facts);
    } kinds[] = {
        {"lustre", find_lustre}, {"nfs", find_nfs}, {"nfs4", find_nfs}, {"ceph", find_ceph}};
    struct weir_client_watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        return NULL;
    memcpy(watch->mount_point, facts->mount_point, sizeof watch->mount_point);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(facts->type, kinds[i].type) == 0)
            kinds[i].find(watch, root, facts);
    if (watch->file_count > 0)
        read_all(watch);
    if (watch->latest.has_client)
        return watch;
    weir_client_watch_close(watch);
    return NULL;
}

void weir_client_watch_close(struct weir_client_watch *watch)
{
    if (watch == NULL)
        return;
    for (size_t i = 0; i < watch->file_count; i++)
        free(watch->files[i].path);
    free(watch->files);
    free(watch->text);
    free(watch);
}

void weir_client_watch_read(struct weir_client_watch *watch, struct weir_traffic *traffic)
{
    bool is_new;

    if (watch == NULL)
        return;
    is_new = watch->cost_ns < DEAR_NS || now_ns() - watch->latest.client_at_ns >= DEAR_INTERVAL_NS;
    if (is_new)
        read_all(watch);
    traffic->has_client = watch->latest.has_client && (is_new || !watch->is_reused);
    watch->is_reused = !is_new;
    traffic->client_read_bytes = watch->latest.client_read_bytes;
    traffic->client_written_bytes = watch->latest.client_written_bytes;
    traffic->client_dirty_bytes = watch->latest.client_dirty_bytes;
    traffic->client_cache_bytes = watch->latest.client_cache_bytes;
    traffic->client_cached_bytes = watch->latest.client_cached_bytes;
    traffic->client_at_ns = watch->latest.client_at_ns;
}

/* ---- caches ---- */

/* "tuneFileCacheType = buffered" in the settings of the mounts. Several mounts that differ are told
 * apart by nothing that is documented. */
static void describe_beegfs(const char *root, char *text, size_t bytes)
{
    struct weir_name_list names;
    char mode[32] = "";
    bool is_clear = true;

    weir_name_list_open(&names, "%s/proc/fs/beegfs", root);
    for (size_t i = 0; i < names.count; i++) {
        char path[WEIR_ROOTED_PATH_BYTES], found[32];

        snprintf(path, sizeof path, "%s/proc/fs/beegfs/%s/config", root, names.entries[i]->d_name);
        if (!weir_small_file_field(path, "tuneFileCacheType", found, sizeof found))
            continue;
        is_clear &= mode[0] == '\0' || strcmp(mode, found) == 0;
        memcpy(mode, found, sizeof mode);
    }
    weir_name_list_close(&names);
    if (is_clear && mode[0] != '\0')
        snprintf(text, bytes, "%s (tuneFileCacheType)", mode);
}

void weir_client_describe_cache(const char *root, const struct weir_storage_facts *facts,
                                char *text, size_t bytes)
{
    char found[48] = "";

    if (strcmp(facts->type, "beegfs") == 0 || strcmp(facts->type, "fhgfs") == 0)
        describe_beegfs(root, found, sizeof found);
    weir_small_text_copy(text, bytes, found);
}

bool weir_page_pool_describe(const char *root, char *text, size_t bytes)
{
    char program[WEIR_ROOTED_PATH_BYTES], printed[256], size[32];
    const char *const words[] = {program, "pagepool", NULL};

    snprintf(program, sizeof program, "%s/usr/lpp/mmfs/bin/mmlsconfig", root);
    if (access(program, X_OK) != 0 ||
        weir_program_read(words, MMLSCONFIG_LIMIT_NS, NULL, printed, sizeof printed) != 0 ||
        sscanf(printed, "pagepool %31s", size) != 1)
        return false;
    snprintf(text, bytes, "page pool %s", size);
    return true;
}
