/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a backend by any of its names, and what its sessions tell of themselves. */
#include "weir/io/backend.h"

#include <stdarg.h>
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

static void add_item(struct weir_text *list, const char *separator, const char *format,
                     va_list arguments)
{
    if (list->length > 0)
        weir_text_add(list, "%s", separator);
    weir_text_add_list(list, format, arguments);
}

void weir_session_got(struct weir_session_facts *facts, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_item(&facts->granted, ", ", format, arguments);
    va_end(arguments);
}

void weir_session_missed(struct weir_session_facts *facts, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_item(&facts->shortfall, "\n", format, arguments);
    va_end(arguments);
}
