/* SPDX-License-Identifier: Apache-2.0 */
/* The directories that a program's files may be in. They need not be there yet. */
#include "language.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOTS_MAX 1024

/* A list that grows up to ROOTS_MAX. */
struct roots {
    const struct weir_lowering *lowering;
    const char *directory; /* the current one */
    const char **list;
    unsigned count;
};

static int add(struct roots *roots, const char *path)
{
    char *root = weir_arena_take(&roots->lowering->plan->arena,
                                 strlen(roots->directory) + strlen(path) + sizeof "//");
    size_t length = path[0] == '/' ? 0 : weir_program_clean_path(root, 0, roots->directory);

    if (weir_program_clean_path(root, length, path) == 0)
        memcpy(root, "/", sizeof "/");
    for (unsigned i = 0; i < roots->count; i++)
        if (strcmp(roots->list[i], root) == 0)
            return 0;
    if (strlen(root) >= WEIR_PATH_BYTES || roots->count == ROOTS_MAX)
        return WEIR_REFUSE(roots->lowering, "--root: %s: %s", path,
                           roots->count == ROOTS_MAX ? "too many directories"
                                                     : "the path is too long");
    roots->list[roots->count++] = root;
    return 0;
}

/* What stands before the first variable, as far as whole names go. */
static const char *fixed_part(struct roots *roots, const struct weir_program *program,
                              const char *value)
{
    struct weir_arena *arena = &roots->lowering->plan->arena;
    char reason[64];
    const struct weir_expr *expr =
        weir_expr_text(arena, &program->variables, value, strlen(value), reason, sizeof reason);
    const char *text = expr != NULL ? weir_expr_constant_text(expr) : NULL;
    size_t length = strcspn(value, "$");

    if (text != NULL)
        return text;
    while (length > 0 && value[length - 1] != '/')
        length--;
    return weir_arena_printf(arena, "%.*s", (int)length, value);
}

/* The first name of a path leads to a directory that is there. A number is none, whatever is there.
 */
static bool begins_in_directory(const struct roots *roots, const char *path)
{
    const char *first =
        weir_arena_printf(&roots->lowering->plan->arena, "%.*s", (int)strcspn(path, "/"), path);
    struct stat status;
    uint64_t number;

    return first[0] != '\0' && (path[strlen(first)] == '/' || weir_size_parse(path, &number)) &&
           stat(first, &status) == 0 && S_ISDIR(status.st_mode);
}

/* All that is in the current directory is in a root, whatever the value means: 1/2, or a/b. But
 * the first root says which storage is meant, so directories in it that are there count as well.
 * The root of all directories is none, which would allow each name. */
static bool names_directory(const struct roots *roots, const char *path)
{
    size_t dots = strspn(path, ".");

    if (path[0] == '/')
        return path[strspn(path, "/.")] != '\0';
    if ((dots == 1 || dots == 2) && (path[dots] == '/' || path[dots] == '\0'))
        return true;
    return begins_in_directory(roots, path);
}

static int add_of_parameters(struct roots *roots, const struct weir_program *program)
{
    int failure = 0;

    for (unsigned i = 0; i < program->parameter_count && !failure; i++) {
        const char *path = fixed_part(roots, program, program->parameters[i].value);

        if (names_directory(roots, path))
            failure = add(roots, path);
    }
    return failure;
}

static int add_of_list(struct roots *roots, const char *list)
{
    int failure = 0;

    while (*list != '\0' && !failure) {
        size_t length = strcspn(list, "\n");

        failure =
            add(roots, weir_arena_printf(&roots->lowering->plan->arena, "%.*s", (int)length, list));
        list += length + (list[length] == '\n');
    }
    return failure;
}

int weir_pbl_set_roots(const struct weir_lowering *lowering, struct weir_program *program,
                       const char *list)
{
    struct weir_arena *arena = &lowering->plan->arena;
    char *directory = getcwd(NULL, 0);
    struct roots roots = {.lowering = lowering, .directory = directory};
    int failure = 0;

    if (directory == NULL)
        return WEIR_REFUSE(lowering,
                           "the current directory: %s; give --root DIRECTORY and run "
                           "it elsewhere",
                           strerror(errno));
    roots.list = weir_arena_take(arena, ROOTS_MAX * sizeof *roots.list);
    if (list != NULL)
        failure = add_of_list(&roots, list);
    else
        failure = add_of_parameters(&roots, program) ? -EINVAL : add(&roots, ".");
    program->roots = roots.list;
    program->root_count = roots.count;
    free(directory);
    return failure;
}
