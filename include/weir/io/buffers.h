/* SPDX-License-Identifier: Apache-2.0 */
/* The transfer buffers of one session: aligned, touched, one slot per request, each with one or
 * more buffers. */
#ifndef WEIR_IO_BUFFERS_H
#define WEIR_IO_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slot s has `per_slot` buffers of `buffer_bytes` each (a transfer, rounded up to the alignment). A
 * writer of small transfers uses them in turn, so that what it writes does not repeat at short
 * range. */
struct weir_buffers {
    unsigned char *memory;
    size_t bytes; /* all of it: whole pages, and whole huge pages where they were asked for */
    size_t buffer_bytes;
    unsigned slots;
    unsigned per_slot; /* buffers of a slot, a power of two */
    bool is_huge;      /* of huge pages that the system keeps in reserve (vm.nr_hugepages); */
    bool may_be_huge;  /* else of pages that the kernel was asked to make huge */
};

struct weir_buffers_params {
    unsigned slots;
    uint64_t transfer_bytes;
    uint64_t spread_bytes; /* at least so many in the buffers of a slot; 0: one buffer per slot */
    uint32_t alignment;    /* a power of two; and to pages */
    bool wants_huge_pages; /* reserved ones, else those that the kernel makes */
    /* Called with all of the memory before any of it is touched, to have it placed; 0, or -errno,
     * which ends the attempt. NULL: the kernel places it. */
    int (*place)(void *context, void *memory, size_t bytes);
    void *place_context;
};

/* Allocates the buffers and touches every page. 0 or -ENOMEM, or what `place` returns; that there
 * are no huge pages is no error. */
int weir_buffers_open(struct weir_buffers *buffers, const struct weir_buffers_params *params);
void weir_buffers_close(struct weir_buffers *buffers);

/* Buffer `number` of all: slot s has those from s * per_slot on. */
static inline void *weir_buffers_at(const struct weir_buffers *buffers, unsigned number)
{
    return buffers->memory + number * buffers->buffer_bytes;
}

#endif
