/* SPDX-License-Identifier: Apache-2.0 */
/* Directories, devices, OSTs and BeeGFS targets. The listings of lfs(1) and beegfs-ctl are read as
 * their manual pages show them; the authors have tried stand-ins only. */
#include "sources.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE weir_targets_option_tables.place
#define LISTING_BYTES (256 * 1024)

void weir_targets_add(struct weir_arena *arena, struct weir_target_sources *sources,
                      const struct weir_target_source *source)
{
    if (sources->count == sources->capacity) {
        size_t capacity = sources->capacity > 0 ? 2 * sources->capacity : 16;
        struct weir_target_source *all = weir_arena_take(arena, capacity * sizeof *all);

        if (sources->count > 0)
            memcpy(all, sources->all, sources->count * sizeof *all);
        sources->all = all;
        sources->capacity = capacity;
    }
    sources->all[sources->count++] = *source;
}

void weir_targets_remark(struct weir_arena *arena, struct weir_target_sources *sources,
                         const char *remark)
{
    const char **all = weir_arena_take(arena, (sources->remark_count + 1) * sizeof *all);

    if (sources->remark_count > 0)
        memcpy(all, sources->remarks, sources->remark_count * sizeof *all);
    all[sources->remark_count++] = remark;
    sources->remarks = all;
}

/* ---- paths ---- */

/* Without slashes at the end. */
static const char *trimmed(struct weir_arena *arena, const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return weir_arena_printf(arena, "%.*s", (int)length, path);
}

static int check_path(const struct weir_targets_request *request, const char *path,
                      struct weir_error *error)
{
    struct stat found;

    if (path[0] == '\0')
        return weir_error_usage(error, PLACE, "an empty path; name a directory or a device");
    /* What is not there yet, or is on other nodes only, the run tells. */
    if (stat(path, &found) != 0)
        return 0;
    if (!request->config.takes_devices && S_ISBLK(found.st_mode))
        return weir_error_usage(error, PLACE,
                                "%s is a block device: give --devices to read it, and --write "
                                "allow to write it too",
                                path);
    if (!request->config.takes_devices && !S_ISDIR(found.st_mode))
        return weir_error_usage(error, PLACE, "%s is no directory; name the directory of a target",
                                path);
    return 0;
}

/* Whether both are one device, or one directory, as far as this host has them. */
static bool is_same(const char *one, const char *other)
{
    struct stat a, b;

    if (stat(one, &a) != 0 || stat(other, &b) != 0)
        return false;
    if (S_ISBLK(a.st_mode) && S_ISBLK(b.st_mode))
        return a.st_rdev == b.st_rdev;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int check_new(const struct weir_target_sources *sources, const char *path,
                     struct weir_error *error)
{
    for (size_t i = 0; i < sources->count; i++) {
        const char *earlier = sources->all[i].name;

        if (strcmp(earlier, path) == 0)
            return weir_error_usage(error, PLACE, "%s is named twice; name each target once", path);
        if (is_same(earlier, path))
            return weir_error_usage(error, PLACE, "%s is %s by another name; name each target once",
                                    path, earlier);
    }
    return 0;
}

static int add_paths(struct weir_arena *arena, const struct weir_targets_request *request,
                     struct weir_target_sources *sources, struct weir_error *error)
{
    for (int i = 0; i < request->path_count; i++) {
        const char *path = trimmed(arena, request->paths[i]);
        bool is_device = request->config.takes_devices > 0;

        if (check_path(request, path, error) || check_new(sources, path, error))
            return -EINVAL;
        weir_targets_add(
            arena, sources,
            &(struct weir_target_source){
                .name = path,
                .path = is_device ? path : weir_arena_printf(arena, "%s/weir-targets", path),
            });
    }
    return 0;
}

/* ---- listings of other programs ---- */

const char *weir_targets_quote(struct weir_arena *arena, const char *path)
{
    struct weir_text text = {0};
    const char *copy;

    weir_text_add_shell(&text, path);
    copy = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

/* In a directory of PATH. */
static bool has_command(struct weir_arena *arena, const char *name)
{
    const char *rest = getenv("PATH");

    while (rest != NULL && *rest != '\0') {
        size_t length = strcspn(rest, ":");

        if (access(weir_arena_printf(arena, "%.*s/%s", (int)length, rest, name), X_OK) == 0)
            return true;
        rest += length + (rest[length] == ':');
    }
    return false;
}

/* What a command prints; NULL, and the error, if it fails. */
static char *list(struct weir_arena *arena, const char *option, const char *command,
                  struct weir_error *error)
{
    FILE *pipe = popen(command, "r");
    char *text = weir_arena_take(arena, LISTING_BYTES);
    size_t length = pipe != NULL ? fread(text, 1, LISTING_BYTES - 1, pipe) : 0;
    bool is_right = pipe != NULL && pclose(pipe) == 0;

    text[length] = '\0';
    if (is_right)
        return text;
    weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EIO, PLACE,
                   "%s: \"%s\" failed: the targets are not known", option, command);
    return NULL;
}

/* ---- Lustre ---- */

/* "3: scratch-OST0003_UUID ACTIVE" */
struct ost {
    unsigned index;
    char name[128]; /* "scratch-OST0003" */
    bool is_active;
};

static bool read_ost(const char *line, struct ost *ost)
{
    char state[16] = "";
    char *end;

    if (sscanf(line, " %u: %127s %15s", &ost->index, ost->name, state) < 2)
        return false;
    end = strstr(ost->name, "_UUID");
    if (end != NULL)
        *end = '\0';
    ost->is_active = strncmp(state, "INACTIVE", 8) != 0;
    return strstr(ost->name, "-OST") != NULL;
}

/* True if a line of the listing of a pool begins with the name. */
static bool is_in(const char *pool, const char *name)
{
    const size_t length = strlen(name);

    for (const char *line = pool; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && !isalnum((unsigned char)line[length]))
            return true;
    }
    return false;
}

static char *list_pool(struct weir_arena *arena, const struct ost *ost, const char *pool,
                       struct weir_error *error)
{
    int length = (int)(strstr(ost->name, "-OST") - ost->name);
    const char *name = weir_arena_printf(arena, "%.*s.%s", length, ost->name, pool);

    return list(arena, "--lustre",
                weir_arena_printf(arena, "lfs pool_list %s", weir_targets_quote(arena, name)),
                error);
}

static int add_osts(struct weir_arena *arena, const char *directory, const char *pool,
                    struct weir_target_sources *sources, struct weir_error *error)
{
    char *listing =
        list(arena, "--lustre",
             weir_arena_printf(arena, "lfs osts %s", weir_targets_quote(arena, directory)), error);
    char *members = NULL, *rest = NULL;

    if (listing == NULL)
        return -EINVAL;
    for (char *line = strtok_r(listing, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct ost ost;

        if (!read_ost(line, &ost))
            continue;
        if (pool != NULL && members == NULL) {
            members = list_pool(arena, &ost, pool, error);
            if (members == NULL)
                return -EINVAL;
        }
        if (members != NULL && !is_in(members, ost.name))
            continue;
        if (!ost.is_active) {
            weir_targets_remark(
                arena, sources,
                weir_arena_printf(arena, "--lustre: %s is left out: it is inactive", ost.name));
            continue;
        }
        weir_targets_add(
            arena, sources,
            &(struct weir_target_source){
                .name = weir_arena_copy(arena, ost.name),
                .path = weir_arena_printf(arena, "%s/weir-targets.ost%u", directory, ost.index),
                .make = weir_arena_printf(arena, "lfs setstripe -c 1 -i %u %%s", ost.index),
            });
    }
    return 0;
}

/* A directory, and the pool behind its last colon if no slash follows. */
static int find_lustre(struct weir_arena *arena, const char *word,
                       struct weir_target_sources *sources, struct weir_error *error)
{
    const char *colon = strrchr(word, ':');
    bool has_pool = colon != NULL && strchr(colon, '/') == NULL && colon[1] != '\0';
    const char *directory = trimmed(
        arena, has_pool ? weir_arena_printf(arena, "%.*s", (int)(colon - word), word) : word);

    if (!has_command(arena, "lfs"))
        return weir_error_usage(
            error, PLACE,
            "--lustre: there is no command lfs here, which lists OSTs and makes "
            "files on one: run it on a client of Lustre with its tools");
    if (add_osts(arena, directory, has_pool ? colon + 1 : NULL, sources, error))
        return -EINVAL;
    return sources->count > 0
               ? 0
               : weir_error_usage(error, PLACE, "--lustre: %s: lfs lists no active OST", word);
}

/* ---- BeeGFS ---- */

/* Of 7 and before, and of 8. %s is a directory, or a number and a file. */
static const struct {
    const char *program;
    const char *list;
    const char *make;
} beegfs_tools[] = {
    {"beegfs-ctl", "beegfs-ctl --listtargets --nodetype=storage --mount=%s",
     "beegfs-ctl --createfile --targets=%u %%s"},
    {"beegfs", "beegfs target list --node-type=storage --mount=%s",
     "beegfs entry create file --targets=%u %%s"},
};

/* The first number of a line is that of a target; heads and rules have none. Of version 8 it may
 * stand behind "s:" . */
static bool read_beegfs_target(const char *line, unsigned *number)
{
    line += strspn(line, " \t");
    if (strncmp(line, "s:", 2) == 0)
        line += 2;
    return isdigit((unsigned char)*line) && sscanf(line, "%u", number) == 1;
}

static int find_beegfs(struct weir_arena *arena, const char *word,
                       struct weir_target_sources *sources, struct weir_error *error)
{
    const char *directory = trimmed(arena, word);
    size_t tool = has_command(arena, beegfs_tools[0].program) ? 0 : 1;
    char *listing, *rest = NULL;

    if (tool == 1 && !has_command(arena, beegfs_tools[1].program))
        return weir_error_usage(error, PLACE,
                                "--beegfs: there is neither beegfs-ctl nor beegfs here, which list "
                                "targets and make files on one: run it on a client of BeeGFS with "
                                "its tools");
    listing = list(
        arena, "--beegfs",
        weir_arena_printf(arena, beegfs_tools[tool].list, weir_targets_quote(arena, directory)),
        error);
    if (listing == NULL)
        return -EINVAL;
    for (char *line = strtok_r(listing, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        unsigned number;

        if (read_beegfs_target(line, &number))
            weir_targets_add(
                arena, sources,
                &(struct weir_target_source){
                    .name = weir_arena_printf(arena, "target %u", number),
                    .path = weir_arena_printf(arena, "%s/weir-targets.%u", directory, number),
                    .make = weir_arena_printf(arena, beegfs_tools[tool].make, number),
                });
    }
    return sources->count > 0
               ? 0
               : weir_error_usage(error, PLACE, "--beegfs: %s: no storage target is listed", word);
}

/* ---- which of them ---- */

int weir_targets_find(struct weir_arena *arena, const struct weir_targets_request *request,
                      struct weir_target_sources *sources, struct weir_error *error)
{
    const struct weir_targets_config *config = &request->config;
    bool has_paths = request->path_count > 0;
    int asked =
        (has_paths || config->takes_devices) + (config->beegfs != NULL) + (config->lustre != NULL);
    int failure;

    *sources = (struct weir_target_sources){.are_devices = config->takes_devices > 0};
    if (asked == 0)
        return weir_error_usage(error, PLACE,
                                "no targets: weir targets PATH..., --beegfs DIRECTORY, --lustre "
                                "DIRECTORY[:POOL] or --devices [PATH...]");
    if (asked > 1)
        return weir_error_usage(error, PLACE,
                                "targets of one kind at a time: paths, --devices, --beegfs or "
                                "--lustre");
    if (config->beegfs)
        failure = find_beegfs(arena, config->beegfs, sources, error);
    else if (config->lustre)
        failure = find_lustre(arena, config->lustre, sources, error);
    else if (has_paths)
        failure = add_paths(arena, request, sources, error);
    else
        failure = weir_targets_list_devices(arena, sources, PLACE, error);
    if (!failure && sources->count > WEIR_TARGETS_MAX)
        return weir_error_usage(error, PLACE, "%zu targets; give %d at most", sources->count,
                                WEIR_TARGETS_MAX);
    return failure;
}
