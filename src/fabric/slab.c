/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that other processes of the node can map: memfd, in huge pages if there are any in
 * reserve. */
#include "weir/fabric/fabric.h"

#include <errno.h>

int weir_slab_open(struct weir_slab *slab, const struct weir_slab_params *params)
{
    (void)slab;
    (void)params;
    return -ENOSYS;
}

void weir_slab_close(struct weir_slab *slab)
{
    (void)slab;
}
