/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics: whole lines on standard error, so that lines of many ranks do not mix. */
#include "weir/base/log.h"

#include "weir/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes that a pipe takes in one piece. */
#define LINE_BYTES 4096

static enum weir_log_level log_level = WEIR_LOG_WARNING;
static const struct weir_remedy_word *log_words;

void weir_log_set_level(enum weir_log_level level)
{
    log_level = level;
}

void weir_log_set_words(const struct weir_remedy_word *words)
{
    log_words = words;
}

static void write_line(const char *line, size_t length)
{
    ssize_t written;

    do {
        written = write(STDERR_FILENO, line, length);
    } while (written < 0 && errno == EINTR);
}

void weir_log(enum weir_log_level level, const char *format, ...)
{
    static const char prefix[] = "weir: ";
    static const char ellipsis[] = "...";
    char line[LINE_BYTES], sentence[LINE_BYTES];
    va_list arguments;
    size_t used;

    if (level > log_level)
        return;
    used = (size_t)snprintf(line, sizeof line, "%s", prefix);
    va_start(arguments, format);
    if (vsnprintf(sentence, sizeof sentence, format, arguments) < 0)
        sentence[0] = '\0';
    va_end(arguments);
    used += weir_remedy_spell(log_words, sentence, line + used, sizeof line - used);
    if (used > sizeof line - 1) {
        used = sizeof line - 1;
        snprintf(line + used - strlen(ellipsis), sizeof ellipsis, "%s", ellipsis);
    }
    weir_text_make_visible(line, "");
    line[used++] = '\n';
    write_line(line, used);
}
