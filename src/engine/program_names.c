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

/* Most names are in the root that the one before was in. */
static bool is_in_a_root(struct weir_program_walk *walk, const char *name)
{
    struct weir_program_files *files = walk->files;

    if (files->root != NULL && weir_program_is_inside(files->root, files->root_bytes, name))
        return true;
    for (unsigned i = 0; i < walk->program->root_count; i++) {
        files->root = walk->program->roots[i];
        files->root_bytes = strcmp(files->root, "/") == 0 ? 0 : strlen(files->root);
        if (weir_program_is_inside(files->root, files->root_bytes, name))
            return true;
    }
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
    files->is_inside = directory != NULL && is_in_a_root(walk, directory);
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
    clean(walk->files, name);
    return is_in_a_root(walk, walk->files->clean_name);
}

/* A search for one character costs less than one for two. */
static bool has_two_dots(const char *name)
{
    while ((name = strchr(name, '.')) != NULL)
        if (*++name == '.')
            return true;
    return false;
}

/* A name without .. never leaves the directory that it begins with, so most names need not be made
 * clean. */
static bool begins_inside(struct weir_program_walk *walk, const char *name)
{
    if (has_two_dots(name))
        return false;
    return *name == '/' ? is_in_a_root(walk, name) : walk->files->is_inside;
}

static int check_name(struct weir_program_walk *walk, const struct weir_statement *statement,
                      const char *name)
{
    const char *rest = weir_program_skip_prefix(statement->call, name);

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

    if (!has_two_dots(name))
        return 0;
    length = clean(walk->files, name);
    if (weir_program_skip_prefix(statement->call, name) != name || length >= WEIR_VALUE_BYTES)
        return weir_program_fail(walk, statement, "%s: %s: write it without ..",
                                 weir_calls[statement->call].word, name);
    memcpy(name, walk->files->clean_name, length + 1);
    return 0;
}

/* ---- arguments ---- */

int weir_program_name(struct weir_program_walk *walk, const struct weir_statement *statement,
                      unsigned place)
{
    char *name = walk->files->names[place];
    size_t length;

    if (weir_expr_evaluate_text(statement->arguments[place], &walk->scope, name, &length) != 0)
        return weir_program_fail(walk, statement, "%s: %s", weir_calls[statement->call].word,
                                 walk->scope.reason);
    if (walk->files->data_name[0] == '\0' && weir_calls[statement->call].moves_data)
        memcpy(walk->files->data_name, name, length + 1);
    if (walk->program->root_count == 0 ||
        (weir_program_skip_prefix(statement->call, name) == name && begins_inside(walk, name)))
        return 0;
    return check_name(walk, statement, name) != 0 ? -ECANCELED
                                                  : close_way_out(walk, statement, name);
}

int weir_program_integer(struct weir_program_walk *walk, const struct weir_statement *statement,
                         unsigned place, int64_t least, int64_t *value)
{
    const struct weir_expr *argument = weir_program_argument(statement, place);
    const struct weir_call_row *row = &weir_calls[statement->call];

    if (argument == NULL)
        return 0;
    if (weir_expr_evaluate_integer(argument, &walk->scope, value) != 0)
        return weir_program_fail(walk, statement, "%s: %s", row->word, walk->scope.reason);
    if (*value < least)
        return weir_program_fail(walk, statement, "%s: %lld is no %s", row->word, (long long)*value,
                                 strchr("Ss", row->arguments[place]) ? "size" : "offset");
    return 0;
}
