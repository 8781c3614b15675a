/* SPDX-License-Identifier: Apache-2.0 */
/* The page cache of this node. */
#include "weir/system/page_cache.h"
#include <errno.h>
int weir_residency_open(const char *path, struct weir_residency_probe **probe)
{
    (void)path;
    (void)probe;
    return -ENOSYS;
}
void weir_residency_close(struct weir_residency_probe *probe)
{
    (void)probe;
}
const char *weir_residency_source(const struct weir_residency_probe *probe)
{
    (void)probe;
    return "mincore";
}
int weir_residency_add(struct weir_residency_probe *probe, struct weir_extent extent,
                       struct weir_residency *sum)
{
    (void)probe;
    (void)extent;
    (void)sum;
    return -ENOSYS;
}
int weir_cache_drop_file(const char *path)
{
    (void)path;
    return 0;
}
bool weir_cache_may_drop_node(const char *root)
{
    (void)root;
    return false;
}
int weir_cache_drop_node(const char *root, const char *path)
{
    (void)root;
    (void)path;
    return -EPERM;
}
