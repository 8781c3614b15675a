/* SPDX-License-Identifier: Apache-2.0 */
/* The directories that a program's files may be in, which need not be there yet, and constant names
 * outside of them. */
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

/* The path made absolute and clean; "/" for the directory of all directories. */
static const char *clean_root(const struct roots *roots, const char *path)
{
    char *root = weir_arena_take(&roots->lowering->plan->arena,
                                 strlen(roots->directory) + strlen(path) + sizeof "//");
    size_t length = path[0] == '/' ? 0 : weir_program_clean_path(root, 0, roots->directory);

    if (weir_program_clean_path(root, length, path) == 0)
        memcpy(root, "/", sizeof "/");
    return root;
}

/* Whether a clean path leads to / through symbolic links, or is a bind mount of it: names that are
 * in it as text could be any file. */
static bool leads_to_slash(const char *root)
{
    struct stat own, slash;

    return stat(root, &own) == 0 && stat("/", &slash) == 0 && own.st_dev == slash.st_dev &&
           own.st_ino == slash.st_ino;
}

static int refuse_slash(const struct roots *roots, const char *origin, const char *path)
{
    return WEIR_REFUSE(roots->lowering,
                       "%s: %.200s is the directory /, which would allow every name: give --root "
                       "DIRECTORY, or allow all names with --anywhere",
                       origin, path);
}

/* `origin` is what the path was given with. */
static int add_root(struct roots *roots, const char *origin, const char *path)
{
    const char *root = clean_root(roots, path);

    if (leads_to_slash(root))
        return refuse_slash(roots, origin, path);
    for (unsigned i = 0; i < roots->count; i++)
        if (strcmp(roots->list[i], root) == 0)
            return 0;
    if (strlen(root) >= WEIR_PATH_BYTES || roots->count == ROOTS_MAX)
        return WEIR_REFUSE(roots->lowering, "%s: %s: %s", origin, path,
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
 * A value that is / once it is clean is no root, which would allow each name: it may be meant as
 * any other text. */
static bool names_directory(const struct roots *roots, const char *path)
{
    size_t dots = strspn(path, ".");

    if (strcmp(clean_root(roots, path), "/") == 0)
        return false;
    if (path[0] == '/')
        return true;
    if ((dots == 1 || dots == 2) && (path[dots] == '/' || path[dots] == '\0'))
        return true;
    return begins_in_directory(roots, path);
}

static int add_of_parameters(struct roots *roots, const struct weir_program *program)
{
    struct weir_arena *arena = &roots->lowering->plan->arena;
    int failure = 0;

    for (unsigned i = 0; i < program->parameter_count && !failure; i++) {
        const struct weir_parameter *parameter = &program->parameters[i];
        const char *path = fixed_part(roots, program, parameter->value);

        if (names_directory(roots, path))
            failure = add_root(roots,
                               weir_arena_printf(arena, "parameter $%s",
                                                 program->variables.names[parameter->variable]),
                               path);
    }
    return failure;
}

static int add_of_list(struct roots *roots, const char *list)
{
    int failure = 0;

    do {
        size_t length = strcspn(list, "\n");
        const char *path =
            weir_arena_printf(&roots->lowering->plan->arena, "%.*s", (int)length, list);

        if (length == 0)
            return WEIR_REFUSE(roots->lowering, "--root: an empty path: name a directory");
        failure = add_root(roots, "--root", path);
        list += length;
    } while (!failure && *list++ == '\n');
    return failure;
}

/* The current directory is a root besides those of parameters, unless it is / itself: a program
 * without any root may name every file. */
static int add_of_program(struct roots *roots, const struct weir_program *program)
{
    if (add_of_parameters(roots, program) != 0)
        return -EINVAL;
    if (roots->count > 0 && leads_to_slash(roots->directory))
        return 0;
    return add_root(roots, "the current directory", roots->directory);
}

/* ---- constant names ---- */

static bool is_in_a_root(const struct roots *roots, const char *name)
{
    const char *path = clean_root(roots, name);

    for (unsigned i = 0; i < roots->count; i++) {
        size_t length = strcmp(roots->list[i], "/") == 0 ? 0 : strlen(roots->list[i]);

        if (weir_program_is_inside(roots->list[i], length, path))
            return true;
    }
    return false;
}

/* Refuses names without variables that are in no root, at all levels: the engine would end the
 * program at them, after what comes before. */
static int check_constant_names(const struct roots *roots, const struct weir_statement *statements)
{
    for (const struct weir_statement *at = statements; at != NULL; at = at->next) {
        const char *kinds = at->kind == WEIR_DO_CALL ? weir_calls[at->call].arguments : "";

        for (unsigned i = 0; i < at->argument_count && kinds[i] == 'N'; i++) {
            const char *name = weir_expr_constant_text(at->arguments[i]);
            const char *rest = name != NULL ? weir_program_skip_prefix(at->call, name) : NULL;

            if (name != NULL &&
                (!is_in_a_root(roots, name) || (rest != name && !is_in_a_root(roots, rest))))
                return WEIR_REFUSE(roots->lowering,
                                   "line %u: %s: %s is outside of %s%s: give its directory with "
                                   "--root, or allow all with --anywhere",
                                   at->line, weir_calls[at->call].word, name, roots->list[0],
                                   roots->count > 1 ? " and the other roots" : "");
        }
        if (check_constant_names(roots, at->body) || check_constant_names(roots, at->otherwise))
            return -EINVAL;
    }
    return 0;
}

int weir_pbl_set_roots(const struct weir_lowering *lowering, struct weir_program *program,
                       const char *list)
{
    struct weir_arena *arena = &lowering->plan->arena;
    char *directory = getcwd(NULL, 0);
    struct roots roots = {.lowering = lowering, .directory = directory};
    int failure;

    if (directory == NULL)
        return WEIR_REFUSE(lowering,
                           "the current directory: %s; give --root DIRECTORY and run "
                           "it elsewhere",
                           strerror(errno));
    roots.list = weir_arena_take(arena, ROOTS_MAX * sizeof *roots.list);
    failure = list != NULL ? add_of_list(&roots, list) : add_of_program(&roots, program);
    failure = failure ? failure : check_constant_names(&roots, program->statements);
    program->roots = roots.list;
    program->root_count = roots.count;
    free(directory);
    return failure;
}
