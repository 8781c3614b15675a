/* SPDX-License-Identifier: Apache-2.0 */
/* weir serve: a server of objects as a process of its own, until it is told to end. */
#ifndef WEIR_SERVE_H
#define WEIR_SERVE_H

#include "weir/front/front.h"

#include <signal.h>

/* Serves until *stop_signal is not 0, or the request says that it is over. Prints where it is once
 * it can be reached, and totals at the end. Each rank of a launcher is a server by itself. Returns
 * the exit code, with *error set if it is not WEIR_EXIT_DONE. */
int weir_serve(const struct weir_serve_request *request, const volatile sig_atomic_t *stop_signal,
               struct weir_error *error);

#endif
