/* SPDX-License-Identifier: Apache-2.0 */
#include "run_info.h"

#include "weir/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True if the file holds nothing but a position. */
static bool read_position(int fd, uint64_t *position)
{
    static const char key[] = "pos: ";
    char text[64] = "";
    ssize_t bytes = read(fd, text, sizeof text - 1);
    const char *number = text + strlen(key);
    size_t digits;

    if (bytes < 0 || !weir_text_begins(text, key))
        return false;
    digits = strspn(number, "0123456789");
    errno = 0;
    *position = strtoull(number, NULL, 10);
    return errno == 0 && digits > 0 &&
           strlen(key) + digits + (number[digits] == '\n') == (size_t)bytes;
}

int weir_run_info_read(const char *path, uint64_t *position, const char *place,
                       struct weir_error *error)
{
    /* A pipe is not waited for: nothing is in it. */
    int fd = path[0] != '\0' ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    uint64_t found;
    bool is_position;

    if (path[0] == '\0')
        return weir_error_usage(error, place,
                                "--run-info-file: an empty path; give the name of a "
                                "file");
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, place,
                              "--run-info-file: %s: %s", path, strerror(errno));
    is_position = read_position(fd, &found);
    close(fd);
    if (!is_position)
        return weir_error_usage(error, place,
                                "--run-info-file: %s: there is something else in it than \"pos: \" "
                                "and a number; name another file",
                                path);
    *position = found;
    return 0;
}

int weir_run_info_check(const char *path, const char *place, struct weir_error *error)
{
    uint64_t unused;

    return weir_run_info_read(path, &unused, place, error);
}
