/* SPDX-License-Identifier: Apache-2.0 */
/* Copies from and to mapped files that end in an error, not in the end of the program, where the
 * file system cannot give a page: the file was cut, the disk is full or broken. */
#ifndef WEIR_BACKENDS_BUS_GUARD_H
#define WEIR_BACKENDS_BUS_GUARD_H

#include <stddef.h>

/* Takes SIGBUS over; the last close restores the former handler. 0 or -errno. Sessions come
 * and go in one thread. */
int weir_bus_guard_open(void);
void weir_bus_guard_close(void);

/* Copies `bytes` bytes between a mapped file and memory; `mapped` is the one of `to` and `from`
 * that lies in the mapping. Returns NULL, or the address of the page that is not there: then any
 * part of the bytes may have been copied, not only those before it. A SIGBUS from elsewhere is left
 * to who had it before. */
const void *weir_bus_guard_copy(void *to, const void *from, size_t bytes, const void *mapped);

#endif
