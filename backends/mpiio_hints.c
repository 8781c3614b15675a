/* SPDX-License-Identifier: Apache-2.0 */
/* Hints from lines "IOR_HINT__MPI__<key>=<value>" of the environment and of a file. */
#include "mpiio_hints.h"

#include "weir/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char hint_prefix[] = "IOR_HINT__";
static const char *const hint_layers[] = {"MPI__", "GPFS__"};

static void collect_environment(struct weir_text *lines)
{
    for (char **entry = environ; *entry; entry++)
        if (weir_text_begins(*entry, hint_prefix))
            weir_text_add(lines, "%s\n", *entry);
}

static int collect_file(struct weir_text *lines, const char *path, struct weir_error *error)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0, number = 0;
    ssize_t length;
    int code = 0;

    if (!file)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, "mpiio: --mpiio.hintsFileName",
                              "%s: %s", path, strerror(errno));
    while (code == 0 && (length = getline(&line, &capacity, file)) >= 0) {
        number++;
        if (strlen(line) < (size_t)length)
            code = weir_error_usage(error, "mpiio: --mpiio.hintsFileName",
                                    "%s:%zu: is no text: there is a zero byte in this line", path,
                                    number);
        weir_text_add_bytes(lines, line, (size_t)length);
    }
    if (lines->length > 0 && lines->data[lines->length - 1] != '\n')
        weir_text_add(lines, "\n");
    free(line);
    fclose(file);
    return code;
}

static char *trim(char *text)
{
    static const char blanks[] = " \t\r";
    size_t length;

    text += strspn(text, blanks);
    length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* What follows "IOR_HINT__MPI__" or "IOR_HINT__GPFS__"; NULL if the line begins otherwise. */
static char *skip_prefix(char *line)
{
    if (!weir_text_begins(line, hint_prefix))
        return NULL;
    line += strlen(hint_prefix);
    for (size_t i = 0; i < sizeof hint_layers / sizeof *hint_layers; i++)
        if (weir_text_begins(line, hint_layers[i]))
            return line + strlen(hint_layers[i]);
    return NULL;
}

static int set_hint(MPI_Info hints, char *line, struct weir_error *error)
{
    char *key = skip_prefix(line);
    char *equals = key ? strchr(key, '=') : NULL;

    if (!equals)
        return weir_error_usage(error, "mpiio",
                                "'%s' is no hint; write IOR_HINT__MPI__<key>=<value>", line);
    *equals = '\0';
    if (MPI_Info_set(hints, trim(key), trim(equals + 1)) != MPI_SUCCESS)
        return weir_error_usage(error, "mpiio", "MPI does not take the hint %s = %s", trim(key),
                                trim(equals + 1));
    return 0;
}

static int set_hints(MPI_Info hints, char *lines, struct weir_error *error)
{
    char *rest = lines;
    char *line;

    while ((line = strsep(&rest, "\n")) != NULL) {
        int rc = 0;

        line = trim(line);
        if (*line != '\0' && *line != '#')
            rc = set_hint(hints, line, error);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int weir_mpiio_hints_read(struct weir_group *group, const char *path, MPI_Info hints,
                          struct weir_error *error)
{
    struct {
        struct weir_error error;
        uint64_t bytes;
    } head = {0};
    struct weir_text collected = {0};
    char *lines;
    int rc;

    if (group->rank == 0) {
        collect_environment(&collected);
        if (path)
            collect_file(&collected, path, &head.error);
        head.bytes = collected.length;
    }
    rc = weir_group_broadcast(group, &head, sizeof head, 0);
    lines = calloc(1, head.bytes + 1);
    if (lines && group->rank == 0)
        memcpy(lines, weir_text_string(&collected), head.bytes);
    weir_text_close(&collected);
    if (weir_error_is_set(&head.error)) {
        *error = head.error;
        rc = head.error.code;
    }
    if (weir_group_any(group, lines == NULL))
        rc = -ENOMEM;
    if (rc == 0)
        rc = weir_group_broadcast(group, lines, head.bytes, 0);
    if (rc == 0)
        rc = set_hints(hints, lines, error);
    free(lines);
    return rc;
}

void weir_mpiio_hints_write(struct weir_text *notes, const char *caption, MPI_Info hints)
{
    char key[MPI_MAX_INFO_KEY + 1];
    char value[MPI_MAX_INFO_VAL + 1];
    int count = 0;
    int is_set = 0;

    MPI_Info_get_nkeys(hints, &count);
    weir_text_add(notes, "\n%s {\n", caption);
    for (int i = 0; i < count; i++) {
        MPI_Info_get_nthkey(hints, i, key);
        MPI_Info_get(hints, key, MPI_MAX_INFO_VAL, value, &is_set);
        weir_text_add(notes, "\t%s = %s\n", key, is_set ? value : "");
    }
    weir_text_add(notes, "}\n");
}
