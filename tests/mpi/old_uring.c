/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded, for depth.sh: to rank 1 the kernel does not say what io_uring can do, as before 5.6.
 * It then queues no operations on names, and the other ranks do. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct io_uring;
struct io_uring_probe;
typedef struct io_uring_probe *probe_function(struct io_uring *ring);
probe_function io_uring_get_probe_ring;

struct io_uring_probe *io_uring_get_probe_ring(struct io_uring *ring)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    probe_function *probe = (probe_function *)dlsym(RTLD_NEXT, "io_uring_get_probe_ring");

    return rank != NULL && strcmp(rank, "1") == 0 ? NULL : probe(ring);
}
