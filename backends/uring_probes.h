/* SPDX-License-Identifier: Apache-2.0 */
/* Features that the kernel does not report are probed: on a file of our own beside a target,
 * before anything is touched. */
#ifndef WEIR_BACKENDS_URING_PROBES_H
#define WEIR_BACKENDS_URING_PROBES_H

#include "uring_ring.h"

#include "weir/base/diagnosis.h"

/* RWF_DONTCACHE, which came with Linux 6.14. */
#define WEIR_URING_DROP_CACHE 0x80

/* A device itself, to be read; else a file of our own beside the target, and where none can be
 * made, the target. The descriptor, or -1 with errno. */
int weir_uring_open_probe(const char *path, bool is_direct, bool *may_write);

/* False if the file system does not know this RWF_*. */
bool weir_uring_takes_flag(int fd, int flag);

/* 1 if the device behind a direct file has queues that can be polled, 0 if not; or -errno: it was
 * not found out. The ring polls, and nothing is in flight. */
int weir_uring_takes_polling(struct weir_uring_ring *ring, int fd, bool may_write);

/* True if the file is on an NVMe device, or is one. */
bool weir_uring_is_nvme(int fd);

/* weir_backend.diagnose */
void weir_uring_diagnose(struct weir_diagnosis *diagnosis, const char *path);

#endif
