/* SPDX-License-Identifier: Apache-2.0 */
/* IOR scripts, line by line: directives change the current test, RUN closes it, the next one
 * inherits everything. */
#include "script.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct script {
    struct weir_ior_request *current;
    const char *name;
    struct weir_error *error;
    unsigned line_number;
    bool has_started;
    bool has_stopped;
    bool is_closed; /* RUN was read: the next directive belongs to a new test */
};

static char *without_blanks(char *line)
{
    size_t length;

    while (isspace((unsigned char)*line))
        line++;
    length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    line[length] = '\0';
    return line;
}

/* True for the line "IOR <word>" in any case and with any blanks between. */
static bool is_mark(const char *line, const char *word)
{
    if (strncasecmp(line, "ior", 3) != 0 || !isblank((unsigned char)line[3]))
        return false;
    line += 3;
    while (isblank((unsigned char)*line))
        line++;
    return strcasecmp(line, word) == 0;
}

static void close_test(struct script *script)
{
    if (script->is_closed)
        script->current = weir_ior_request_repeat(script->current);
    script->is_closed = true;
}

static int read_directives(struct script *script, const char *line)
{
    const struct weir_option_parser *parser;
    const char *place;
    int failure;

    if (script->is_closed)
        script->current = weir_ior_request_repeat(script->current);
    script->is_closed = false;
    parser = &script->current->base.parser;
    place = weir_arena_printf(parser->arena, "%s: %s:%u", parser->place, script->name,
                              script->line_number);
    failure = weir_options_assign_list(parser, place, line, script->error);
    if (!failure && script->current->ior.script_path)
        return weir_error_usage(script->error, place, "a script cannot call another one with -f");
    return failure;
}

static int read_line(struct script *script, char *line)
{
    line = without_blanks(line);
    if (!script->has_started) {
        script->has_started = is_mark(line, "start");
        return 0;
    }
    if (*line == '\0' || *line == '#')
        return 0;
    if (is_mark(line, "stop"))
        script->has_stopped = true;
    else if (strcasecmp(line, "run") == 0)
        close_test(script);
    else
        return read_directives(script, line);
    return 0;
}

/* The next line of `*text`, in `arena`; NULL at the end. */
static char *next_line(const char **text, struct weir_arena *arena)
{
    size_t length = strcspn(*text, "\n");
    char *line;

    if (**text == '\0')
        return NULL;
    line = weir_arena_take(arena, length + 1);
    memcpy(line, *text, length);
    *text += length + ((*text)[length] == '\n');
    return line;
}

int weir_ior_script_parse(struct weir_ior_request *request, const char *text, const char *name,
                          struct weir_error *error)
{
    struct script script = {.current = request, .name = name, .error = error};
    const char *place = request->base.parser.place;
    char *line;
    int failure = 0;

    request->ior.script_path = NULL;
    /* Editors of other systems put the byte order mark of UTF-8 first. */
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    while (!failure && !script.has_stopped &&
           (line = next_line(&text, request->base.parser.arena)) != NULL) {
        script.line_number++;
        failure = read_line(&script, line);
    }
    if (!failure && !script.has_started)
        failure = weir_error_usage(error, place, "%s: no line says IOR START", name);
    return failure;
}

int weir_ior_script_load(const char *path, struct weir_arena *arena, const char **text,
                         const char *place, struct weir_error *error)
{
    struct weir_text whole = {0};
    FILE *file = fopen(path, "re");
    int code;

    if (!file)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, place,
                              "-f: %s: %s (-f names a script of tests; -o names the file to "
                              "write and read)",
                              path, strerror(errno));
    code = weir_text_add_file(&whole, file, SIZE_MAX);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, place, "-f: %s: cannot be read: %s",
                       path, strerror(-code));
    else if (weir_text_zero_line(&whole) != 0)
        weir_error_usage(error, place, "-f: %s:%zu: is no text: there is a zero byte in this line",
                         path, weir_text_zero_line(&whole));
    else
        *text = weir_arena_copy(arena, weir_text_string(&whole));
    weir_text_close(&whole);
    return error->code;
}
