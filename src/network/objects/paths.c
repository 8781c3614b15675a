/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of objects. */
#include "paths.h"

#include "weir/base/random.h"

#include <string.h>

struct weir_path weir_path_trim(struct weir_path path)
{
    while (path.count && path.bytes[path.count - 1] == '/')
        path.count--;
    return path;
}

struct weir_path weir_path_directory(struct weir_path path)
{
    path = weir_path_trim(path);
    while (path.count && path.bytes[path.count - 1] != '/')
        path.count--;
    return weir_path_trim(path);
}

struct weir_path weir_path_last(struct weir_path path)
{
    size_t start;

    path = weir_path_trim(path);
    start = weir_path_directory(path).count;
    while (start < path.count && path.bytes[start] == '/')
        start++;
    return (struct weir_path){path.bytes + start, path.count - start};
}

bool weir_path_is_same(struct weir_path a, struct weir_path b)
{
    return a.count == b.count && !memcmp(a.bytes, b.bytes, a.count);
}

uint64_t weir_path_hash(struct weir_path path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < path.count; i++)
        hash = (hash ^ (unsigned char)path.bytes[i]) * UINT64_C(0x100000001b3);
    return weir_mix64(hash);
}

uint32_t weir_path_server(struct weir_path directory, uint32_t server_count)
{
    return (uint32_t)weir_random_below(weir_path_hash(weir_path_trim(directory)), server_count);
}
