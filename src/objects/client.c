/* SPDX-License-Identifier: Apache-2.0 */
/* A client of object servers. */
#include "weir/objects/client.h"

#include <errno.h>

int weir_object_client_open(const struct weir_object_client_params *params,
                            struct weir_object_client **client, struct weir_error *error)
{
    (void)params;
    (void)client;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

void weir_object_client_close(struct weir_object_client *client)
{
    (void)client;
}

int weir_object_client_preflight(struct weir_object_client *client, struct weir_error *error)
{
    (void)client;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

const struct weir_fabric_facts *weir_object_client_facts(const struct weir_object_client *client)
{
    (void)client;
    return NULL;
}

void weir_object_client_explain(const struct weir_object_client *client, struct weir_text *text)
{
    (void)client;
    (void)text;
}

int weir_object_lend(struct weir_object_client *client, void *memory, size_t bytes,
                     struct weir_error *error)
{
    (void)client;
    (void)memory;
    (void)bytes;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

void weir_object_give_back(struct weir_object_client *client)
{
    (void)client;
}

int weir_object_open(struct weir_object_client *client, const struct weir_object_params *params,
                     struct weir_object **object)
{
    (void)client;
    (void)params;
    (void)object;
    return -ENOSYS;
}

int weir_object_close(struct weir_object_client *client, struct weir_object *object)
{
    (void)client;
    (void)object;
    return -ENOSYS;
}

int weir_object_sync(struct weir_object_client *client, struct weir_object *object)
{
    (void)client;
    (void)object;
    return -ENOSYS;
}

int64_t weir_object_size(struct weir_object_client *client, struct weir_object *object)
{
    (void)client;
    (void)object;
    return -ENOSYS;
}

int weir_object_truncate(struct weir_object_client *client, struct weir_object *object,
                         uint64_t bytes)
{
    (void)client;
    (void)object;
    (void)bytes;
    return -ENOSYS;
}

int weir_object_stat(struct weir_object_client *client, const char *path,
                     struct weir_object_facts *facts)
{
    (void)client;
    (void)path;
    (void)facts;
    return -ENOSYS;
}

int weir_object_unlink(struct weir_object_client *client, const char *path)
{
    (void)client;
    (void)path;
    return -ENOSYS;
}

int weir_object_rename(struct weir_object_client *client, const char *path, const char *new_path)
{
    (void)client;
    (void)path;
    (void)new_path;
    return -ENOSYS;
}

int weir_object_mkdir(struct weir_object_client *client, const char *path)
{
    (void)client;
    (void)path;
    return -ENOSYS;
}

int weir_object_rmdir(struct weir_object_client *client, const char *path)
{
    (void)client;
    (void)path;
    return -ENOSYS;
}

int weir_object_list(struct weir_object_client *client, const char *path,
                     bool (*name)(void *context, const char *name,
                                  const struct weir_object_facts *facts),
                     void *context)
{
    (void)client;
    (void)path;
    (void)name;
    (void)context;
    return -ENOSYS;
}

int weir_object_space(struct weir_object_client *client, struct weir_object_space *space)
{
    (void)client;
    (void)space;
    return -ENOSYS;
}

int weir_object_submit(struct weir_object_client *client, struct weir_object_io *const ios[],
                       unsigned count)
{
    (void)client;
    (void)ios;
    (void)count;
    return -ENOSYS;
}

int weir_object_reap(struct weir_object_client *client, struct weir_object_io *done[], unsigned min,
                     unsigned max, uint64_t patience_ns)
{
    (void)client;
    (void)done;
    (void)min;
    (void)max;
    (void)patience_ns;
    return -ENOSYS;
}
