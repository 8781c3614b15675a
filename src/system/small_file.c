/* SPDX-License-Identifier: Apache-2.0 */
/* Reads small files and links of /proc and /sys. */
#include "weir/system/small_file.h"

#include "weir/base/facts.h"
#include "weir/base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLANKS " \t\r\n"

void weir_small_text_copy(char *to, size_t bytes, const char *from)
{
    size_t length;

    from += strspn(from, BLANKS);
    length = strlen(from);
    while (length > 0 && strchr(BLANKS, from[length - 1]) != NULL)
        length--;
    if (length > bytes - 1)
        length = bytes - 1;
    memset(to, 0, bytes);
    memcpy(to, from, length);
    weir_text_make_visible(to, "");
}

bool weir_small_text_choice(char *to, size_t bytes, char *choices)
{
    char *begin = strchr(choices, '[');
    char *end = begin != NULL ? strchr(begin, ']') : NULL;

    if (end == NULL)
        return false;
    *end = '\0';
    weir_small_text_copy(to, bytes, begin + 1);
    return true;
}

bool weir_small_list_value(const char *words, const char *key, char *value, size_t bytes)
{
    size_t length = strlen(key);

    for (;;) {
        size_t size = strcspn(words, ",");

        if (size > length && strncmp(words, key, length) == 0 && words[length] == '=') {
            snprintf(value, bytes, "%.*s", (int)(size - length - 1), words + length + 1);
            return true;
        }
        if (words[size] == '\0')
            return false;
        words += size + 1;
    }
}

/* Sets `path` to "" if it does not fit, which is the name of nothing. */
static void make_path(char path[WEIR_ROOTED_PATH_BYTES], const char *format, va_list arguments)
{
    int length = vsnprintf(path, WEIR_ROOTED_PATH_BYTES, format, arguments);

    if (length < 0 || length >= WEIR_ROOTED_PATH_BYTES)
        path[0] = '\0';
}

static bool read_line(const char *path, char line[PATH_MAX])
{
    FILE *file = fopen(path, "re");
    bool is_read;

    if (file == NULL)
        return false;
    is_read = fgets(line, PATH_MAX, file) != NULL;
    fclose(file);
    return is_read;
}

bool weir_small_file_line(char *line, size_t bytes, const char *format, ...)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    char whole[PATH_MAX];
    va_list arguments;

    va_start(arguments, format);
    make_path(path, format, arguments);
    va_end(arguments);
    weir_small_text_copy(line, bytes, read_line(path, whole) ? whole : "");
    return line[0] != '\0';
}

bool weir_small_file_number(int64_t *number, const char *format, ...)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    char line[PATH_MAX];
    va_list arguments;

    va_start(arguments, format);
    make_path(path, format, arguments);
    va_end(arguments);
    return read_line(path, line) && sscanf(line, "%" SCNd64, number) == 1;
}

/* The rest of a line behind a colon or an equals sign, with or without blanks before it; NULL if
 * neither is there: "cpu" is not to be found in "cpu family : 6". */
static const char *find_value(const char *line, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(line, name, length) != 0)
        return NULL;
    line += length + strspn(line + length, BLANKS);
    return *line == ':' || *line == '=' ? line + 1 : NULL;
}

bool weir_small_file_field(const char *path, const char *name, char *value, size_t bytes)
{
    FILE *file = fopen(path, "re");
    char line[PATH_MAX];
    const char *found;

    weir_small_text_copy(value, bytes, "");
    if (file == NULL)
        return false;
    while (value[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        found = find_value(line, name);
        if (found != NULL)
            weir_small_text_copy(value, bytes, found);
    }
    fclose(file);
    return value[0] != '\0';
}

bool weir_small_file_is_there(const char *format, ...)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    va_list arguments;

    va_start(arguments, format);
    make_path(path, format, arguments);
    va_end(arguments);
    return access(path, F_OK) == 0;
}

bool weir_link_name(char *name, size_t bytes, const char *format, ...)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    char target[PATH_MAX];
    const char *slash;
    va_list arguments;
    ssize_t length;

    va_start(arguments, format);
    make_path(path, format, arguments);
    va_end(arguments);
    length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    slash = strrchr(target, '/');
    weir_small_text_copy(name, bytes, slash != NULL ? slash + 1 : target);
    return name[0] != '\0';
}

/* ---- directories ---- */

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

void weir_name_list_open(struct weir_name_list *list, const char *format, ...)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    va_list arguments;
    int count;

    va_start(arguments, format);
    make_path(path, format, arguments);
    va_end(arguments);
    *list = (struct weir_name_list){0};
    count = scandir(path, &list->entries, is_shown, versionsort);
    if (count > 0)
        list->count = (size_t)count;
    else if (count == 0)
        free(list->entries);
}

void weir_name_list_close(struct weir_name_list *list)
{
    if (list->count == 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        free(list->entries[i]);
    free(list->entries);
    list->count = 0;
}

/* ---- NUMA ---- */

/* A device that is attached to no node in particular has -1, and so have those above it. */
int32_t weir_numa_node_above(const char *format, ...)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    char real[PATH_MAX];
    va_list arguments;
    int64_t node;

    va_start(arguments, format);
    make_path(path, format, arguments);
    va_end(arguments);
    if (realpath(path, real) == NULL)
        return WEIR_NUMA_UNKNOWN;
    do
        if (weir_small_file_number(&node, "%s/numa_node", real) && node >= 0 && node < INT32_MAX)
            return (int32_t)node;
    while (weir_text_cut_name(real));
    return WEIR_NUMA_UNKNOWN;
}
