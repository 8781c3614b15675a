/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of calls. Names are compared with the roots as text: made absolute, and without . and
 * .. in them; the backend gets them as they were typed, but for those with .. in them. */
#include "program_calls.h"

#include "weir/base/remedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory of the process and a name, with the slash between. */
enum { CLEAN_BYTES = 2 * WEIR_VALUE_BYTES + 2 };

/* ---- clean names ---- */

/* files->clean_name is `name` made clean; its length. */
static size_t clean(struct weir_program_files *files, const char *name)
{
    size_t length = 0;

    if (*name != '/') {
        length = strlen(files->directory);
        memcpy(files->clean_name, files->directory, length);
    }
    return weir_program_clean_path(files->clean_name, length, name);
}

static bool is_inside(const char *root, const char *name, size_t length)
{
    size_t bytes = strlen(root);

    if (bytes == 1)
        return true;
    return length >= bytes && memcmp(root, name, bytes) == 0 &&
           (name[bytes] == '/' || name[bytes] == '\0');
}

static bool is_in_a_root(const struct weir_program *program, const char *name, size_t length)
{
    for (unsigned i = 0; i < program->root_count; i++)
        if (is_inside(program->roots[i], name, length))
            return true;
    return false;
}

int weir_program_names_open(struct weir_program_walk *walk)
{
    struct weir_program_files *files = walk->files;
    char *directory = getcwd(NULL, 0);
    int code = directory != NULL ? 0 : -errno;

    /* Without one, relative names have no file; and are in no root. */
    if (code == -ENOENT)
        directory = strdup("");
    if (directory != NULL && strcmp(directory, "/") == 0)
        *directory = '\0';
    files->directory = directory;
    files->is_inside =
        directory != NULL && is_in_a_root(walk->program, directory, strlen(directory));
    files->clean_name = malloc(CLEAN_BYTES);
    if (files->directory == NULL || files->clean_name == NULL)
        return -ENOMEM;
    return strlen(files->directory) < WEIR_VALUE_BYTES ? 0 : -ENAMETOOLONG;
}

void weir_program_names_close(struct weir_program_walk *walk)
{
    free(walk->files->directory);
    free(walk->files->clean_name);
}

uint64_t weir_program_file_number(struct weir_program_files *files, const char *name)
{
    size_t length = files->has_one_name ? 0 : clean(files, name);
    uint64_t number = length;

    for (size_t i = 0; i < length; i++)
        number = weir_mix64(number + (unsigned char)files->clean_name[i] + 1);
    return number;
}

/* ---- roots ---- */

static bool is_inside_any(struct weir_program_walk *walk, const char *name)
{
    size_t length = clean(walk->files, name);

    return is_in_a_root(walk->program, walk->files->clean_name, length);
}

/* A name without .. never leaves the directory that it begins with, so most names need not be made
 * clean. */
static bool begins_inside(const struct weir_program_walk *walk, const char *name, size_t length)
{
    if (strstr(name, "..") != NULL)
        return false;
    return *name == '/' ? is_in_a_root(walk->program, name, length) : walk->files->is_inside;
}

/* Some libraries of MPI-IO take what stands before a colon for the kind of file system. */
static const char *behind_prefix(const struct weir_statement *statement, const char *name)
{
    const char *colon = statement->call < WEIR_CALL_PWRITE ? NULL : strpbrk(name, ":/");

    return colon != NULL && *colon == ':' ? colon + 1 : name;
}

static int check_name(struct weir_program_walk *walk, const struct weir_statement *statement,
                      const char *name)
{
    const char *rest = behind_prefix(statement, name);

    if (is_inside_any(walk, name) && (rest == name || is_inside_any(walk, rest)))
        return 0;
    return weir_program_fail(walk, statement,
                             "%s: %s is outside of %s%s: give its directory with " WEIR_REMEDY_ROOT
                             ", or " WEIR_REMEDY_ANYWHERE,
                             weir_calls[statement->call].word, name, walk->program->roots[0],
                             walk->program->root_count > 1 ? " and the other roots" : "");
}

/* The kernel takes .. from where a symbolic link before it leads, which is not what was compared:
 * such a name is replaced by the one that was. */
static int close_way_out(struct weir_program_walk *walk, const struct weir_statement *statement,
                         char name[WEIR_VALUE_BYTES])
{
    size_t length;

    if (strstr(name, "..") == NULL)
        return 0;
    length = clean(walk->files, name);
    if (behind_prefix(statement, name) != name || length >= WEIR_VALUE_BYTES)
        return weir_program_fail(walk, statement, "%s: %s: write it without ..",
                                 weir_calls[statement->call].word, name);
    memcpy(name, walk->files->clean_name, length + 1);
    return 0;
}

/* ---- arguments ---- */

const struct weir_expr *weir_program_argument(const struct weir_statement *statement, char letter,
                                              unsigned nth)
{
    const char *letters = weir_calls[statement->call].arguments;

    for (unsigned i = 0; i < statement->argument_count && letters[i] != '\0'; i++)
        if ((letters[i] & ~0x20) == letter && nth-- == 0)
            return statement->arguments[i];
    return NULL;
}

int weir_program_name(struct weir_program_walk *walk, const struct weir_statement *statement,
                      unsigned nth)
{
    char *name = walk->files->names[nth];
    size_t length;

    if (weir_expr_evaluate_text(weir_program_argument(statement, 'N', nth), &walk->scope, name,
                                &length) != 0)
        return weir_program_fail(walk, statement, "%s: %s", weir_calls[statement->call].word,
                                 walk->scope.reason);
    if (walk->program->root_count == 0 ||
        (behind_prefix(statement, name) == name && begins_inside(walk, name, length)))
        return 0;
    return check_name(walk, statement, name) != 0 ? -ECANCELED
                                                  : close_way_out(walk, statement, name);
}

int weir_program_integer(struct weir_program_walk *walk, const struct weir_statement *statement,
                         char letter, int64_t least, int64_t *value)
{
    const struct weir_expr *argument = weir_program_argument(statement, letter, 0);
    const char *word = weir_calls[statement->call].word;

    if (argument == NULL)
        return 0;
    if (weir_expr_evaluate_integer(argument, &walk->scope, value) != 0)
        return weir_program_fail(walk, statement, "%s: %s", word, walk->scope.reason);
    if (*value < least)
        return weir_program_fail(walk, statement, "%s: %lld is no %s", word, (long long)*value,
                                 letter == 'S' ? "size" : "offset");
    return 0;
}
