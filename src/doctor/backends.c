/* SPDX-License-Identifier: Apache-2.0 */
/* Asks each backend what this host lets it do, and names those that are not there. */
#include "subjects.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Backends try things in the directory of the path that they get: for a directory it is an unused
 * name in it. */
static const char *path_for_probes(const char *path, char inside[PATH_MAX])
{
    struct stat facts;

    if (path == NULL || stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return path;
    return snprintf(inside, PATH_MAX, "%s/.weir-doctor", path) < PATH_MAX ? inside : path;
}

/* "name: reason" */
static void tell_left_out(struct weir_diagnosis *diagnosis, const char *words)
{
    size_t length = strcspn(words, ":");
    const char *reason = words + length + strspn(words + length, ": ");
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)length, words);
    weir_diagnosis_add(diagnosis, WEIR_MISSING, name,
                       "in weir's sources: scripts/deps build, or --print dnf; then build weir "
                       "again",
                       "the backend is not in this build: %s", reason);
}

void weir_examine_backends(const struct weir_examination *examination)
{
    const struct weir_registry *registry = examination->registry;
    char inside[PATH_MAX];
    const char *path = path_for_probes(examination->path, inside);

    for (size_t i = 0; i < registry->count; i++)
        if (registry->backends[i]->diagnose != NULL)
            registry->backends[i]->diagnose(examination->diagnosis, path);
    for (const char *const *words = registry->left_out; *words != NULL; words++)
        tell_left_out(examination->diagnosis, *words);
}
