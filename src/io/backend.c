/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a backend by any of its names. */
#include "weir/io/backend.h"

#include <strings.h>

static bool is_called(const struct weir_descriptor *descriptor, const char *name)
{
    return strcasecmp(descriptor->name, name) == 0 || strcasecmp(descriptor->label, name) == 0 ||
           (descriptor->alias && strcasecmp(descriptor->alias, name) == 0);
}

const struct weir_backend *weir_backend_find(const struct weir_registry *registry, const char *name)
{
    for (size_t i = 0; i < registry->count; i++)
        if (is_called(&registry->backends[i]->descriptor, name))
            return registry->backends[i];
    return NULL;
}
