/* SPDX-License-Identifier: Apache-2.0 */
/* Anonymous memory in whole pages, which returns to the kernel when it is unmapped: unlike the
 * heap, which keeps what lies below a block still in use. */
#ifndef WEIR_BASE_PAGES_H
#define WEIR_BASE_PAGES_H

#include <stddef.h>

/* Zeroed, aligned to a page, readable and writable. NULL, with errno: there is none. */
void *weir_pages_map(size_t bytes);
/* `bytes` as they were mapped. NULL is allowed. */
void weir_pages_unmap(void *memory, size_t bytes);

#endif
