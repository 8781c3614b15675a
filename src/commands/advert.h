/* SPDX-License-Identifier: Apache-2.0 */
/* A file that names the servers that are there, one per line, as they come and go. */
#ifndef WEIR_COMMANDS_ADVERT_H
#define WEIR_COMMANDS_ADVERT_H

#include "weir/base/error.h"

#include <signal.h>

/* Adds the line, unless it is there; the file is created if there is none. Servers on many nodes
 * may do so at once, and readers never see half a line. 0; -EINTR if *stop_signal (NULL = none)
 * became other than 0 while another process held the file's lock; or the error. */
int weir_advert_add(const char *path, const char *line, const volatile sig_atomic_t *stop_signal,
                    struct weir_error *error);

/* Takes it out, and the file with the last line. It is no error if it is not there. */
int weir_advert_remove(const char *path, const char *line, struct weir_error *error);

#endif
