/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of one session: set up with what the kernel has of what was asked for; memory and files
 * registered with it; and operations in flight counted, so that completions always have room. */
#ifndef WEIR_BACKENDS_URING_RING_H
#define WEIR_BACKENDS_URING_RING_H

#include "weir/base/error.h"
#include "weir/io/backend.h"

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_uring_request {
    unsigned depth;          /* operations in flight */
    unsigned entries;        /* of them, handed to the kernel in one call */
    bool is_polled;          /* completions are polled for, not interrupted by */
    bool has_poller;         /* a thread of the kernel looks for submissions */
    int poller_cpu;          /* it is bound to; -1: to none */
    unsigned poller_idle_ms; /* after which it sleeps; 0: as the kernel likes */
    uint64_t spin_ns;        /* a wait looks for completions so long before it sleeps */
    bool must_register_memory;
    bool must_register_files;
};

/* A registered buffer has at most 1 GiB, so memory is registered as a row of buffers of that size:
 * a place's distance from the first byte, shifted, is the number of its buffer. */
#define WEIR_URING_BUFFER_SHIFT 30

/* Of a device that is slower than the spin, one wait in 2^6 spins. */
#define WEIR_URING_MISSES_MAX 6

struct weir_uring_ring {
    struct io_uring ring;
    struct weir_uring_request request;
    unsigned asked_flags; /* IORING_SETUP_*; what was granted is in `ring` */
    unsigned room;        /* completions that fit: no more may be in flight */
    unsigned flying;      /* operations taken and not handed back */
    unsigned spin_misses; /* waits in a row that spun for nothing, at most WEIR_URING_MISSES_MAX */
    unsigned spin_skips;  /* waits to come that sleep at once: 2^misses - 1 after each miss */
    int ring_rc;          /* of registering the ring itself, files and memory: 0 or -errno */
    int files_rc;
    int memory_rc;
    size_t memory_bytes;     /* lent; */
    uintptr_t memory;        /* registered from here; */
    size_t registered_bytes; /* 0: none */
    unsigned file_count;     /* places for registered files; a file's place is its descriptor */
    unsigned placed_count;   /* of all files that were opened */
    unsigned unplaced_count; /* files whose descriptor is beyond them */
    bool *is_placed;
};

/* Sets the ring up; what is granted less than asked for is told by describe. `place` is the
 * backend's name, for the error. 0, or the error with nothing left behind. */
int weir_uring_ring_open(struct weir_uring_ring *ring, const struct weir_uring_request *request,
                         const char *place, struct weir_error *error);

/* Waits for what is in flight, or cancels it: nothing is moved any more when this returns. What
 * completes is dropped. */
void weir_uring_ring_drain(struct weir_uring_ring *ring);

/* Drains, and releases all. */
void weir_uring_ring_close(struct weir_uring_ring *ring);

/* Registers memory, if that was wished and the system lets us. */
void weir_uring_ring_lend(struct weir_uring_ring *ring, void *memory, size_t bytes);
/* Drains, and registers nothing any more. */
void weir_uring_ring_give_back(struct weir_uring_ring *ring);

/* Around the life of a descriptor. */
void weir_uring_ring_add_file(struct weir_uring_ring *ring, int fd);
void weir_uring_ring_remove_file(struct weir_uring_ring *ring, int fd);

/* Adds what was granted, and a sentence for each thing that was asked for and was not. */
void weir_uring_ring_describe(const struct weir_uring_ring *ring, struct weir_session_facts *facts);

/* Hands over what was prepared, and waits until at least `min` completions are there, `timeout_ns`
 * is over or a signal came: in one system call that sleeps; or, where spinning has paid, in one
 * that does not, and looks at the ring; or in none where there is nothing to do. 0, or -errno: the
 * ring is broken. */
int weir_uring_ring_turn(struct weir_uring_ring *ring, unsigned min, uint64_t timeout_ns);

/* The kernel's thread has not taken off the ring yet what it has completed: waits until it has. */
void weir_uring_ring_wait_for_space(struct weir_uring_ring *ring);

/* Operations that may be prepared now; 0 only while something is in flight. */
static inline unsigned weir_uring_ring_room(struct weir_uring_ring *ring)
{
    unsigned room = ring->room - ring->flying;
    unsigned space = io_uring_sq_space_left(&ring->ring);

    if (__builtin_expect(space == 0 && ring->flying == 0, 0)) {
        weir_uring_ring_wait_for_space(ring);
        space = io_uring_sq_space_left(&ring->ring);
    }
    return room < space ? room : space;
}

static inline bool weir_uring_ring_has_file(const struct weir_uring_ring *ring, int fd)
{
    return (unsigned)fd < ring->file_count && ring->is_placed[fd];
}

/* True if the bytes lie in one registered buffer, *number. */
static inline bool weir_uring_ring_has_memory(const struct weir_uring_ring *ring, const void *data,
                                              uint64_t size, unsigned *number)
{
    uintptr_t from = (uintptr_t)data - ring->memory;
    uintptr_t last = from + size - 1;

    *number = (unsigned)(from >> WEIR_URING_BUFFER_SHIFT);
    return from < ring->registered_bytes && last < ring->registered_bytes &&
           last >> WEIR_URING_BUFFER_SHIFT == *number;
}

#endif
