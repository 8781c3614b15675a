/* SPDX-License-Identifier: Apache-2.0 */
/* What takes all servers: each knows only some of the names. */
#include "client_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A page of the names that a server knows below a path; *payload must be freed. */
static int ask_page(struct weir_object_client *client, struct server_end *server, const char *path,
                    uint64_t *cookie, uint32_t *count, unsigned char **payload)
{
    const uint64_t most = client->params.fabric.message_bytes - sizeof(struct weir_answer);
    const struct weir_answer *answer = &client->call.answer;
    int rc = reach_and_call(
        client, server,
        &(struct weir_request){.verb = WEIR_VERB_LIST, .cookie = *cookie, .bytes = most},
        &(struct parts){.path = path});

    if (rc < 0)
        return rc;
    *payload = malloc(answer->payload_bytes + 1);
    if (!*payload)
        return -ENOMEM;
    memcpy(*payload, client->call.payload, answer->payload_bytes);
    *cookie = answer->cookie;
    *count = answer->count;
    return (int)answer->payload_bytes;
}

struct visitor {
    bool (*name)(void *context, const char *name, const struct weir_object_facts *facts);
    void *context;
    bool is_done;
};

/* Adds what only the keeper knows. An object that is gone meanwhile is no error. */
static int complete_facts(struct weir_object_client *client, const struct weir_list_item *item,
                          struct weir_object_facts *facts)
{
    int rc;

    if (!(item->flags & WEIR_LIST_ELSEWHERE))
        return 0;
    rc = call_keeper(client, WEIR_VERB_STAT, item->object, item->generation, 0);
    if (rc == 0)
        read_facts(&client->call.answer, facts);
    return rc == -ENOENT || rc == -ESTALE ? 0 : rc;
}

static int visit(struct weir_object_client *client, const struct weir_list_item *item,
                 const unsigned char *name, struct visitor *visitor)
{
    char own[WEIR_OBJECT_PATH_BYTES];
    struct weir_object_facts facts = {.kind = (enum weir_object_kind)item->kind,
                                      .bytes = item->size,
                                      .generation = item->generation,
                                      .unit_bytes = item->unit_bytes,
                                      .stripe_count = item->stripe_count};
    int rc = complete_facts(client, item, &facts);

    if (rc < 0)
        return rc;
    memcpy(own, name, item->name_bytes);
    own[item->name_bytes] = '\0';
    visitor->is_done = !visitor->name(visitor->context, own, &facts);
    return 0;
}

static int visit_page(struct weir_object_client *client, const unsigned char *payload,
                      uint32_t bytes, uint32_t count, struct visitor *visitor)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count && !visitor->is_done; i++) {
        struct weir_list_item item;

        if (bytes < sizeof item)
            return -EPROTO;
        memcpy(&item, payload, sizeof item);
        if (item.name_bytes > bytes - sizeof item || item.name_bytes > WEIR_PATH_BYTES_MAX)
            return -EPROTO;
        rc = visit(client, &item, payload + sizeof item, visitor);
        payload += sizeof item + item.name_bytes;
        bytes -= (uint32_t)sizeof item + item.name_bytes;
    }
    return rc;
}

static int list_server(struct weir_object_client *client, struct server_end *server,
                       const char *path, struct visitor *visitor)
{
    uint64_t cookie = 0;
    int rc;

    do {
        unsigned char *payload;
        uint32_t count;

        rc = ask_page(client, server, path, &cookie, &count, &payload);
        if (rc < 0)
            return rc;
        rc = visit_page(client, payload, (uint32_t)rc, count, visitor);
        free(payload);
    } while (rc == 0 && cookie != 0 && !visitor->is_done);
    return rc;
}

int weir_object_list(struct weir_object_client *client, const char *path,
                     bool (*name)(void *context, const char *name,
                                  const struct weir_object_facts *facts),
                     void *context)
{
    struct visitor visitor = {.name = name, .context = context};
    int rc = 0;

    for (unsigned i = 0; rc == 0 && i < client->params.server_count && !visitor.is_done; i++)
        rc = list_server(client, &client->servers[i], path, &visitor);
    return rc;
}

static bool find_one(void *context, const char *name, const struct weir_object_facts *facts)
{
    (void)name;
    (void)facts;
    *(bool *)context = true;
    return false;
}

int look_below(struct weir_object_client *client, const char *path, const struct server_end *but)
{
    bool is_used = false;
    struct visitor visitor = {.name = find_one, .context = &is_used};
    int rc = 0;

    for (unsigned i = 0; rc == 0 && i < client->params.server_count && !is_used; i++)
        if (&client->servers[i] != but)
            rc = list_server(client, &client->servers[i], path, &visitor);
    return rc == 0 && is_used ? -ENOTEMPTY : rc;
}

int weir_object_rmdir(struct weir_object_client *client, const char *path)
{
    int rc = look_below(client, path, server_of_name(client, path));

    return rc < 0 ? rc : call_name(client, path, &(struct weir_request){.verb = WEIR_VERB_RMDIR});
}

int weir_object_space(struct weir_object_client *client, struct weir_object_space *space)
{
    struct weir_object_space sum = {0};

    for (unsigned i = 0; i < client->params.server_count; i++) {
        struct weir_space_answer answer;
        int rc = reach_and_call(client, &client->servers[i],
                                &(struct weir_request){.verb = WEIR_VERB_SPACE}, NULL);

        if (rc < 0)
            return rc;
        if (client->call.answer.payload_bytes != sizeof answer)
            return -EPROTO;
        memcpy(&answer, client->call.payload, sizeof answer);
        sum.capacity_bytes += answer.capacity_bytes;
        sum.used_bytes += answer.used_bytes;
        sum.object_count += answer.object_count;
    }
    *space = sum;
    return 0;
}
