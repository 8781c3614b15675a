/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the directories of control groups: /proc/self/cgroup names the groups, and
 * /proc/self/mountinfo the places where their hierarchies, or the parts of them that a container is
 * shown, are mounted. */
#include "weir/system/control_group.h"

#include "mounts.h"
#include "weir/base/text.h"
#include "weir/system/small_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CGROUPS "/sys/fs/cgroup"

/* The controller that is looked for, and the function that is called. */
struct walk {
    const char *root;
    const char *controller;
    void (*visit)(void *context, const struct weir_control_group *group);
    void *context;
};

/* A line of /proc/self/cgroup: all that is needed to find its directory. */
struct membership {
    unsigned version;
    const char *names; /* of controllers that are mounted together: "cpu,cpuacct"; version 2: "" */
    const char *group; /* "/job/step" */
};

/* Where a hierarchy is mounted, and which part of it. */
struct mount_point {
    char directory[PATH_MAX]; /* "" as long as none is found */
    char top[PATH_MAX];       /* the group that is there; "" is the outermost */
    bool has_group;           /* the group of the process is in that part */
};

/* ---- numbers ---- */

/* True if the line has the number; digits come first, or it is no number of that kind. */
static bool read_number(const char *line, const char *name, uint64_t *number)
{
    size_t length = strlen(name);

    if (strncmp(line, name, length) != 0)
        return false;
    line += length;
    line += strspn(line, " \t:");
    if (*line < '0' || *line > '9')
        return false;
    *number = strtoull(line, NULL, 10);
    return true;
}

bool weir_number_find_in(const char *text, const char *name, uint64_t *number)
{
    while (text != NULL && *text != '\0') {
        if (read_number(text, name, number))
            return true;
        text = strchr(text, '\n');
        if (text != NULL)
            text++;
    }
    return false;
}

bool weir_number_find(const char *path, const char *name, uint64_t *number)
{
    FILE *file = fopen(path, "re");
    char line[256];
    bool is_found = false;

    if (file == NULL)
        return false;
    while (!is_found && fgets(line, sizeof line, file) != NULL)
        is_found = read_number(line, name, number);
    fclose(file);
    return is_found;
}

bool weir_control_group_number(const struct weir_control_group *group, const char *file,
                               const char *name, uint64_t *number)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", group->directory, file);
    return weir_number_find(path, name, number);
}

bool weir_control_group_line(const struct weir_control_group *group, const char *file, char *line,
                             size_t capacity)
{
    char path[2 * PATH_MAX];
    FILE *stream;
    bool is_read;

    snprintf(path, sizeof path, "%s/%s", group->directory, file);
    stream = fopen(path, "re");
    if (stream == NULL)
        return false;
    is_read = fgets(line, (int)capacity, stream) != NULL;
    fclose(stream);
    if (is_read)
        line[strcspn(line, "\n")] = '\0';
    return is_read;
}

/* ---- where hierarchies are mounted ---- */

/* The part of `group` below `top`; NULL if it is elsewhere. */
static const char *find_below(const char *group, const char *top)
{
    size_t length = strlen(top);

    if (strncmp(group, top, length) != 0 || (group[length] != '/' && group[length] != '\0'))
        return NULL;
    /* Groups outside of the container's own are written with "..", and cannot be reached. */
    return strncmp(group + length, "/..", 3) == 0 ? NULL : group + length;
}

/* The outermost group is "/", which no other begins with once it is cut to "". */
static void cut_end(char *group)
{
    size_t length = strlen(group);

    if (length > 0 && group[length - 1] == '/')
        group[length - 1] = '\0';
}

/* Of several, the one that has the group of the process and most of those around it. */
static void choose(struct mount_point *mount, const char *group, const char *top,
                   const char *directory)
{
    struct mount_point other;

    weir_mount_path(directory, other.directory);
    weir_mount_path(top, other.top);
    cut_end(other.top);
    other.has_group = find_below(group, other.top) != NULL;
    if (mount->directory[0] == '\0' || (other.has_group && !mount->has_group) ||
        (other.has_group && strlen(other.top) < strlen(mount->top)))
        *mount = other;
}

/* A line of mountinfo: number, number of the one around it, device, part, directory, options, words
 * up to a hyphen; kind, source, options of the file system. */
static void read_mount(char *line, const struct walk *walk, const struct membership *own,
                       struct mount_point *mount)
{
    char *behind = strstr(line, " - ");
    char *words[5], *kind, *options, *rest;

    if (behind == NULL)
        return;
    *behind = '\0';
    kind = strtok_r(behind + 3, " \n", &rest);
    if (kind == NULL || strcmp(kind, own->version == 2 ? "cgroup2" : "cgroup") != 0 ||
        strtok_r(NULL, " \n", &rest) == NULL)
        return;
    options = strtok_r(NULL, " \n", &rest);
    if (own->version == 1 && (options == NULL || !weir_text_list_has(options, walk->controller)))
        return;
    for (size_t i = 0; i < 5; i++) {
        words[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
        if (words[i] == NULL)
            return;
    }
    choose(mount, own->group, words[3], words[4]);
}

static bool is_directory(const char *root, const char *path)
{
    char whole[2 * PATH_MAX];
    struct stat facts;

    snprintf(whole, sizeof whole, "%s%s", root, path);
    return stat(whole, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Where nothing is told of mounts. */
static void assume_mount(const struct walk *walk, const struct membership *own,
                         struct mount_point *mount)
{
    if (own->version == 2) {
        snprintf(mount->directory, sizeof mount->directory, "%s%s", CGROUPS,
                 is_directory(walk->root, CGROUPS "/unified") ? "/unified" : "");
    } else {
        snprintf(mount->directory, sizeof mount->directory, "%s/%s", CGROUPS, walk->controller);
        if (!is_directory(walk->root, mount->directory))
            snprintf(mount->directory, sizeof mount->directory, "%s/%s", CGROUPS, own->names);
    }
    mount->has_group = find_below(own->group, "") != NULL;
}

static void find_mount(const struct walk *walk, const struct membership *own,
                       struct mount_point *mount)
{
    char path[PATH_MAX];
    char *line = NULL;
    size_t capacity = 0;
    FILE *file;

    mount->directory[0] = mount->top[0] = '\0';
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", walk->root);
    file = fopen(path, "re");
    if (file == NULL) {
        assume_mount(walk, own, mount);
        return;
    }
    while (getline(&line, &capacity, file) > 0)
        read_mount(line, walk, own, mount);
    free(line);
    fclose(file);
}

/* ---- the way up ---- */

static void visit_upwards(const struct walk *walk, const struct membership *own,
                          const struct mount_point *mount)
{
    const char *group = mount->has_group ? find_below(own->group, mount->top) : "";
    char directory[PATH_MAX];
    struct weir_control_group here = {directory, own->version, mount->has_group};
    size_t stem = strlen(walk->root) + strlen(mount->directory);
    char *slash;

    if (snprintf(directory, sizeof directory, "%s%s%s", walk->root, mount->directory, group) >=
        (int)sizeof directory)
        return;
    if (directory[stem] != '\0')
        cut_end(directory + stem);
    for (;;) {
        walk->visit(walk->context, &here);
        here.is_own = false;
        slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < stem)
            return;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: number, controllers, path. */
static void walk_line(const struct walk *walk, char *line)
{
    char *names = strchr(line, ':');
    char *group = names != NULL ? strchr(names + 1, ':') : NULL;
    struct membership own;
    struct mount_point mount;

    if (group == NULL)
        return;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    own = (struct membership){names[1] == '\0' ? 2 : 1, names + 1, group};
    if (own.version == 1 && !weir_text_list_has(own.names, walk->controller))
        return;
    find_mount(walk, &own, &mount);
    if (mount.directory[0] != '\0')
        visit_upwards(walk, &own, &mount);
}

void weir_control_groups_visit(const char *root, const char *controller,
                               void (*visit)(void *context, const struct weir_control_group *group),
                               void *context)
{
    const struct walk walk = {root, controller, visit, context};
    char path[PATH_MAX];
    char *line = NULL;
    size_t capacity = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    while (getline(&line, &capacity, file) > 0)
        walk_line(&walk, line);
    free(line);
    fclose(file);
}
