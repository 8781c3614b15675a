/* SPDX-License-Identifier: Apache-2.0 */
/* What a policy for seats needs beside the topology: a file from rank 0, devices from a target. */
#ifndef WEIR_ENGINE_SEAT_REQUEST_H
#define WEIR_ENGINE_SEAT_REQUEST_H

#include "run.h"

/* Of a rankfile; a line for each of a million ranks is not what anybody has. */
#define WEIR_RANKFILE_BYTES_MAX (UINT64_C(1) << 20)

/* Rank 0 reads the file of a test that has one, and all get its text, which is to be freed; *text
 * is left alone for other tests. Collective. */
int weir_seat_read_rankfile(struct weir_run *run, char **text, struct weir_error *error);

/* Names of devices, with NULL at the end. */
struct weir_seat_needs {
    const char *devices[WEIR_DEVICES_KEPT + 1];
};

/* The devices to sit near to for the data of a target: the disks below it, or where data leave the
 * node the network device that topology.h takes for the standard one. Returns needs->devices, whose
 * names are borrowed from both; NULL if there is none. */
const char *const *weir_seat_devices(const struct weir_storage_facts *storage,
                                     const struct weir_topology *topology,
                                     struct weir_seat_needs *needs);

#endif
