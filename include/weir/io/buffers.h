/* SPDX-License-Identifier: Apache-2.0 */
/* The transfer buffers of one session: aligned, touched, one slot per request, each with one or
 * more windows. */
#ifndef WEIR_IO_BUFFERS_H
#define WEIR_IO_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/* Slot s has `windows` windows of `window_bytes` each (a transfer, rounded up to the alignment). A
 * writer of small transfers goes round its windows, so that what it writes does not repeat at short
 * range. */
struct weir_buffers {
    unsigned char *memory;
    size_t bytes;
    size_t window_bytes;
    unsigned slots;
    unsigned windows; /* a power of two */
};

/* Allocates at least `spread_bytes` over all windows (0: one window per slot), aligned to
 * `alignment` (a power of two) and to pages, and touches every page. 0 or -ENOMEM. */
int weir_buffers_open(struct weir_buffers *buffers, unsigned slots, uint64_t transfer_bytes,
                      uint64_t spread_bytes, uint32_t alignment);
void weir_buffers_close(struct weir_buffers *buffers);

/* Window `number` of all: slot s has those from s * windows on. */
static inline void *weir_buffers_window(const struct weir_buffers *buffers, unsigned number)
{
    return buffers->memory + number * buffers->window_bytes;
}

#endif
