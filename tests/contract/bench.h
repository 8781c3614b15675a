/* SPDX-License-Identifier: Apache-2.0 */
/* What a contract test stands on: a backend with its options, an open session, a queue, and a
 * directory to work in. */
#ifndef WEIR_TESTS_CONTRACT_BENCH_H
#define WEIR_TESTS_CONTRACT_BENCH_H

#include "weir/base/options.h"
#include "weir/io/backend.h"
#include "weir/io/queue.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Transfers are multiples of this, which every alignment is expected to divide. */
#define UNIT_BYTES 8192
#define BENCH_PATH_BYTES 512

extern const struct weir_backend later_backend;

struct subject;

/* The servers of a backend that has some: those of the subject that was tested last, so that what
 * is there outlives a session. All zero at first. */
struct served {
    const struct subject *subject;
    struct weir_arena arena;
    struct weir_server *own; /* that of this rank; NULL: it does not serve */
    const char **addresses;
    unsigned count;
};

void close_served(struct served *served);

/* A backend at one depth: "posix", "fault:later". */
struct subject {
    const struct weir_backend *backend;
    const struct weir_backend *inner; /* of one that wraps, else NULL */
    const char *options;              /* that every session of it has, as for -O; NULL: none */
    unsigned depth;
    struct weir_group *group;
    const char *directory;
    struct served *served; /* of all subjects */
};

struct bench {
    const struct subject *subject;
    const struct weir_backend *backend;
    struct weir_arena arena;
    void *options;
    void *inner_options;
    struct weir_clock clock;
    struct weir_session *session;
    struct weir_queue queue;
};

/* What the subject can do: a wrapper can do what its inner backend can. */
unsigned abilities_of(const struct subject *subject);

/* Opens a session; `options` is a list as for -O ("fault.errno=EIO,fault.at=3"), or NULL. */
void open_bench(struct bench *bench, const struct subject *subject, const char *options);
void close_bench(struct bench *bench);

/* The same up to the session, which is left to the caller: 0 or the error of opening it. */
int try_session(struct bench *bench, const struct subject *subject, const char *options,
                struct weir_error *error);
void forget_session(struct bench *bench);

/* Skips the test where names are those of servers: the kernel cannot play tricks with them. */
void require_names_of_kernel(const struct subject *subject);

/* Says why and skips the test; in a function of its own for `reason` to be read. */
void skip_because(const char *reason);

/* "<directory>/<name>", valid until the bench is closed. */
const char *path_of(struct bench *bench, const char *name);

/* Opens for writing and reading, and makes the file if there is none. */
struct weir_file *make_file(struct bench *bench, const char *path);
int open_file(struct bench *bench, const char *path, bool can_write, struct weir_file **file);
void close_file(struct bench *bench, struct weir_file *file);

/* `units` units, aligned to one, valid until the bench is closed. Their bytes depend on `seed`. */
unsigned char *make_data(struct bench *bench, uint64_t units, unsigned seed);

int stat_name(struct bench *bench, const char *path, struct weir_name_facts *facts);

/* Does nothing where the subject has no names. */
void remove_name(struct bench *bench, const char *path);

/* A slot that is filled and sent; NULL if none is free. */
struct weir_op *send_op(struct bench *bench, enum weir_op_verb verb, struct weir_file *file,
                        void *data, uint64_t offset, uint64_t size);

/* One transfer through the queue. */
int64_t move(struct bench *bench, enum weir_op_verb verb, struct weir_file *file, void *data,
             uint64_t offset, uint64_t size);

/* Moves `units` units from and to the same place of data and file, as many at a time as the depth
 * allows, in descending order; asserts that all of them succeed in full. */
void move_units(struct bench *bench, enum weir_op_verb verb, struct weir_file *file,
                unsigned char *data, uint64_t units, bool is_collective);

#endif
