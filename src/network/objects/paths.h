/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of objects, and the server that a path belongs to. Pure. */
#ifndef WEIR_NETWORK_OBJECTS_PATHS_H
#define WEIR_NETWORK_OBJECTS_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of a text, not terminated; borrowed. */
struct weir_path {
    const char *bytes;
    size_t count;
};

/* Without the slashes at its end: "/d/" is "/d", and "/" is "". */
struct weir_path weir_path_trim(struct weir_path path);
/* The directory that it is in: of "/d/f" it is "/d", of "/d" and of "d" it is "". */
struct weir_path weir_path_directory(struct weir_path path);
/* What follows the directory and its slashes: "f". */
struct weir_path weir_path_last(struct weir_path path);
bool weir_path_is_same(struct weir_path a, struct weir_path b);
/* FNV-1a, then the mixing of base/random.h, so that names that differ in a digit spread. */
uint64_t weir_path_hash(struct weir_path path);
/* The server of all names that are directly in a directory: they are listed by one server, and a
 * rename within the directory concerns no other. */
uint32_t weir_path_server(struct weir_path directory, uint32_t server_count);

#endif
