/* SPDX-License-Identifier: Apache-2.0 */
/* Modes of fopen: those of the C library, or flags of open by name. */
#include "parser.h"

#include "weir/base/descriptor.h"

#include <string.h>

static const struct mode {
    const char *word;
    unsigned flags;
} modes[] = {
    {"r", WEIR_OPEN_READ},
    {"w", WEIR_OPEN_WRITE | WEIR_OPEN_TRUNCATE | WEIR_OPEN_CREATE},
    {"a", WEIR_OPEN_WRITE | WEIR_OPEN_APPEND | WEIR_OPEN_CREATE},
    {"r+", WEIR_OPEN_READ | WEIR_OPEN_WRITE},
    {"w+", WEIR_OPEN_READ | WEIR_OPEN_WRITE | WEIR_OPEN_TRUNCATE | WEIR_OPEN_CREATE},
    {"a+", WEIR_OPEN_READ | WEIR_OPEN_WRITE | WEIR_OPEN_APPEND | WEIR_OPEN_CREATE},
};

/* Those without an effect on regular files are taken and do nothing. */
static const struct mode names[] = {
    {"O_RDONLY", WEIR_OPEN_READ},
    {"O_WRONLY", WEIR_OPEN_WRITE},
    {"O_RDWR", WEIR_OPEN_READ | WEIR_OPEN_WRITE},
    {"O_APPEND", WEIR_OPEN_APPEND},
    {"O_CREAT", WEIR_OPEN_CREATE},
    {"O_TRUNC", WEIR_OPEN_TRUNCATE},
    {"O_EXCL", WEIR_OPEN_EXCLUSIVE},
    {"O_SYNC", WEIR_OPEN_SYNC},
    {"O_DIRECT", WEIR_OPEN_DIRECT},
    {"O_DIRECTORY", WEIR_OPEN_DIRECTORY},
    {"O_NOFOLLOW", WEIR_OPEN_NOFOLLOW},
    {"O_NOATIME", WEIR_OPEN_NOATIME},
    {"O_NONBLOCK", WEIR_OPEN_NONBLOCK},
    {"O_NDELAY", WEIR_OPEN_NONBLOCK},
    {"O_ASYNC", 0},
    {"O_LARGEFILE", 0},
    {"O_NOCTTY", 0},
};

static bool find(const struct mode *list, size_t count, const char *word, size_t length,
                 unsigned *flags)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i].word) == length && strncmp(list[i].word, word, length) == 0) {
            *flags |= list[i].flags;
            return true;
        }
    return false;
}

bool weir_pbl_open_flags(const char *text, unsigned *flags)
{
    static const char between[] = " |,+";

    *flags = 0;
    if (find(modes, sizeof modes / sizeof *modes, text, strlen(text), flags))
        return true;
    if (*text == '\0')
        return false;
    for (text += strspn(text, between); *text != '\0'; text += strspn(text, between)) {
        size_t length = strcspn(text, between);

        if (!find(names, sizeof names / sizeof *names, text, length, flags))
            return false;
        text += length;
    }
    *flags |= *flags & WEIR_OPEN_WRITE ? 0 : WEIR_OPEN_READ;
    return true;
}

void weir_pbl_add_open_modes(struct weir_text *text)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        weir_text_add(text, "%s%s", i > 0 ? ", " : "", modes[i].word);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        weir_text_add(text, "%s%s", i > 0 ? ", " : " or, with | between them, ", names[i].word);
}
