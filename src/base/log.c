/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics: whole lines on standard error, so that lines of many ranks do not mix. */
#include "weir/base/log.h"

#include "weir/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* So many a pipe takes in one piece. */
#define LINE_BYTES 4096

static enum weir_log_level log_level = WEIR_LOG_WARNING;

void weir_log_set_level(enum weir_log_level level)
{
    log_level = level;
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
    char line[LINE_BYTES];
    va_list arguments;
    int length;
    size_t used;

    if (level > log_level)
        return;
    used = (size_t)snprintf(line, sizeof line, "%s", prefix);
    va_start(arguments, format);
    length = vsnprintf(line + used, sizeof line - used, format, arguments);
    va_end(arguments);
    used += length < 0 ? 0 : (size_t)length;
    if (used > sizeof line - 1) {
        used = sizeof line - 1;
        snprintf(line + used - strlen(ellipsis), sizeof ellipsis, "%s", ellipsis);
    }
    weir_text_make_visible(line, "");
    line[used++] = '\n';
    write_line(line, used);
}
