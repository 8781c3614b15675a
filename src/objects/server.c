/* SPDX-License-Identifier: Apache-2.0 */
/* A server of objects: its thread, and what it answers. */
#include "weir/objects/server.h"

#include <errno.h>

int weir_object_server_open(const struct weir_object_server_params *params,
                            struct weir_object_server **server, struct weir_error *error)
{
    (void)params;
    (void)server;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

const char *weir_object_server_address(const struct weir_object_server *server)
{
    (void)server;
    return NULL;
}

void weir_object_server_facts(struct weir_object_server *server,
                              struct weir_object_server_facts *facts)
{
    (void)server;
    (void)facts;
}

void weir_object_server_close(struct weir_object_server *server)
{
    (void)server;
}
