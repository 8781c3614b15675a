/* SPDX-License-Identifier: Apache-2.0 */
/* Anonymous pages. */
#include "weir/base/pages.h"

#include <sys/mman.h>

void *weir_pages_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void weir_pages_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
