/* SPDX-License-Identifier: Apache-2.0 */
/* How a failure is told to a human: one sentence, its place first, and the exit code it leads
 * to. */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/* Exit codes of all commands; weir_exit_rows has their meanings. */
enum weir_exit {
    WEIR_EXIT_DONE,
    WEIR_EXIT_FLAWED,
    WEIR_EXIT_USAGE,
    WEIR_EXIT_ENVIRONMENT,
    WEIR_EXIT_UNFINISHED,
    WEIR_EXIT_MISSING_CASES,
    WEIR_EXIT_COUNT
};

/* One row per code. */
struct weir_exit_row {
    const char *meaning;
    unsigned precedence; /* the greatest wins where several codes hold */
};
extern const struct weir_exit_row weir_exit_rows[WEIR_EXIT_COUNT];

/* Returns the one of two codes that a command returns where both hold. */
enum weir_exit weir_exit_worse(enum weir_exit one, enum weir_exit other);

#define WEIR_ERROR_TEXT_BYTES 768

/* An error that a human must act upon. All zero: no error. Plain data, so that ranks can exchange
 * it. */
struct weir_error {
    int code;            /* 0, or a negative errno value */
    enum weir_exit exit; /* what this error makes of the run */
    char text[WEIR_ERROR_TEXT_BYTES];
};

/* Records the error "place: sentence" and returns `code`. `place` may be NULL. The first error
 * wins: an error that is already set stays as it is, and its code is returned. `code` must be
 * negative. Where it grows longer than the text may be, paths lose their middle. */
int weir_error_set(struct weir_error *error, enum weir_exit exit, int code, const char *place,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same for usage errors: exit code 2, -EINVAL. */
int weir_error_usage(struct weir_error *error, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the process with exit code 3 and a sentence: for what describes the run, never for its
 * buffers. */
void weir_error_out_of_memory(void) __attribute__((noreturn));

static inline bool weir_error_is_set(const struct weir_error *error)
{
    return error->code != 0;
}

#endif
