/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for BeeGFS's striping API: the call that weir makes, after doc.beegfs.io. */
#ifndef WEIR_MOCKS_BEEGFS_H
#define WEIR_MOCKS_BEEGFS_H

#include <stdbool.h>
#include <sys/types.h>

bool mock_beegfs_create(int directory, const char *name, mode_t mode, unsigned targets,
                        unsigned chunk);

/* False and errno on failure, also if the file is there; 0: as the directory says. */
static inline bool beegfs_createFile(int fd, const char *filename, mode_t mode, unsigned numtargets,
                                     unsigned chunksize)
{
    return mock_beegfs_create(fd, filename, mode, numtargets, chunksize);
}

#endif
