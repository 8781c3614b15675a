/* SPDX-License-Identifier: Apache-2.0 */
/* Names and what they lead to: each function asks the servers that it takes, one after the other.
 */
#include "client_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- whom to ask ---- */

static struct weir_path path_of(const char *text)
{
    return weir_path_trim((struct weir_path){text, strlen(text)});
}

static struct client_server *server_of(struct weir_object_client *client,
                                       struct weir_path directory)
{
    return &client->servers[weir_path_server(directory, client->params.server_count)];
}

int weir_client_reach_and_call(struct weir_object_client *client, struct client_server *server,
                               const struct weir_request *request, const struct parts *parts)
{
    int rc = weir_client_reach(client, server);

    return rc < 0 ? rc : weir_client_call(client, server, request, parts);
}

/* As long as another client removes or renames a directory, that takes no names. */
static int call_when_unlocked(struct weir_object_client *client, struct client_server *server,
                              const struct weir_request *request, const struct parts *parts)
{
    const uint64_t begin_ns = weir_clock_kernel_ns();
    int rc;

    while ((rc = weir_client_reach_and_call(client, server, request, parts)) == -EAGAIN) {
        if (weir_clock_kernel_ns() - begin_ns >= client->params.fabric.timeout_ns)
            return -EBUSY;
        weir_client_poll(client, LOCK_PAUSE_NS);
    }
    return rc;
}

/* At the home of the path; `new_path`: NULL, or another one with the same home. */
static int call_by_path(struct weir_object_client *client, const char *path, const char *new_path,
                        const struct weir_request *request)
{
    struct parts parts = {.path = path_of(path)};

    if (new_path)
        parts.new_path = path_of(new_path);
    if (parts.path.count == 0 || (new_path && parts.new_path.count == 0))
        return -ENOENT;
    return call_when_unlocked(client, server_of(client, weir_path_directory(parts.path)), request,
                              &parts);
}

int weir_client_call_home(struct weir_object_client *client, enum weir_verb verb, uint64_t object,
                          uint64_t generation, uint64_t bytes)
{
    uint32_t home = weir_object_home(object);

    if (home >= client->params.server_count)
        return -EPROTO;
    return weir_client_reach_and_call(
        client, &client->servers[home],
        &(struct weir_request){
            .verb = verb, .object = object, .generation = generation, .bytes = bytes},
        NULL);
}

/* ---- what objects leave behind ---- */

static int drop_at(struct weir_object_client *client, uint32_t server,
                   const struct weir_orphan *orphan)
{
    return weir_client_reach_and_call(client, &client->servers[server],
                                      &(struct weir_request){.verb = WEIR_VERB_DROP,
                                                             .object = orphan->object,
                                                             .generation = orphan->generation},
                                      NULL);
}

/* At all that may have a part, and last at the one that asked for it. A server that is gone has
 * taken its part along. */
static void drop_shards(struct weir_object_client *client, uint32_t speaker,
                        const struct weir_orphan *orphan)
{
    const uint32_t servers = client->params.server_count;

    for (uint32_t i = 0; i < orphan->stripe_count && i < servers; i++)
        if ((orphan->first_server + i) % servers != speaker)
            drop_at(client, (orphan->first_server + i) % servers, orphan);
    drop_at(client, speaker, orphan);
}

/* What the answer that has just come from the home says of objects that are gone. */
static void drop_orphans(struct weir_object_client *client, const struct client_server *home)
{
    const struct weir_answer *answer = &client->call.answer;
    struct weir_orphan orphans[WEIR_ORPHANS_MAX];
    const uint32_t count = answer->count;

    if (count > WEIR_ORPHANS_MAX || answer->payload_bytes != count * sizeof *orphans)
        return;
    memcpy(orphans, client->call.payload, count * sizeof *orphans);
    for (uint32_t i = 0; i < count; i++)
        drop_shards(client, home->number, &orphans[i]);
}

/* ---- objects ---- */

static void free_shared(struct weir_object_client *client, struct shared_object *shared_object)
{
    struct shared_object **place = &client->shared_objects;

    while (*place != shared_object)
        place = &(*place)->next;
    *place = shared_object->next;
    for (uint32_t i = 0; i < shared_object->pattern.count; i++) {
        free(shared_object->shards[i].chunks);
        free(shared_object->shards[i].dirty_ranges);
    }
    free(shared_object);
}

static void free_object(struct weir_object_client *client, struct weir_object *object)
{
    struct weir_object **place = &client->objects;

    while (*place != object)
        place = &(*place)->next;
    *place = object->next;
    if (--object->shared_object->openings == 0)
        free_shared(client, object->shared_object);
    free(object);
}

void weir_client_forget_objects(struct weir_object_client *client)
{
    while (client->objects)
        free_object(client, client->objects);
}

void weir_client_read_facts(const struct weir_answer *answer, struct weir_object_facts *facts)
{
    *facts = (struct weir_object_facts){
        .kind = (enum weir_object_kind)answer->kind,
        .bytes = answer->size,
        .generation = answer->generation,
        .unit_bytes = answer->unit_bytes,
        .stripe_count = answer->stripe_count,
    };
}

static struct shared_object *make_shared(struct weir_object_client *client,
                                         const struct weir_answer *answer)
{
    struct shared_object *shared_object =
        calloc(1, sizeof *shared_object + answer->stripe_count * sizeof *shared_object->shards);

    if (!shared_object)
        return NULL;
    shared_object->id = answer->object;
    shared_object->pattern = (struct weir_striping_pattern){
        .unit_bytes = answer->unit_bytes,
        .count = answer->stripe_count,
        .server_count = client->params.server_count,
        .first_server = answer->first_server,
    };
    for (uint32_t i = 0; i < answer->stripe_count; i++)
        shared_object->shards[i].server =
            &client->servers[weir_stripe_server(&shared_object->pattern, i)];
    shared_object->next = client->shared_objects;
    client->shared_objects = shared_object;
    return shared_object;
}

/* The one there is, if it is open here already, with what the home knows of it now. */
static struct shared_object *find_shared(struct weir_object_client *client,
                                         const struct weir_answer *answer)
{
    struct shared_object *shared_object = client->shared_objects;
    uint64_t bytes = answer->size;

    while (shared_object && (shared_object->id != answer->object ||
                             shared_object->facts.generation != answer->generation))
        shared_object = shared_object->next;
    if (!shared_object)
        shared_object = make_shared(client, answer);
    if (!shared_object)
        return NULL;
    shared_object->openings++;
    if (shared_object->facts.bytes > bytes)
        bytes = shared_object->facts.bytes;
    weir_client_read_facts(answer, &shared_object->facts);
    shared_object->facts.bytes = bytes;
    if (answer->size > shared_object->told_bytes)
        shared_object->told_bytes = answer->size;
    return shared_object;
}

static bool is_layout(const struct weir_object_client *client, const struct weir_answer *answer)
{
    return answer->unit_bytes > 0 && answer->stripe_count > 0 &&
           answer->stripe_count <= client->params.server_count &&
           answer->first_server < client->params.server_count &&
           weir_object_home(answer->object) < client->params.server_count;
}

static int ask_open(struct weir_object_client *client, const struct weir_object_params *params)
{
    struct weir_request request = {.verb = WEIR_VERB_OPEN};
    const struct weir_answer *answer = &client->call.answer;
    int rc;

    if (params->must_create) {
        request.flags = WEIR_REQUEST_CREATE;
        request.unit_bytes = client->params.stripe_unit_bytes;
        request.count = client->params.stripe_count;
    }
    rc = call_by_path(client, params->path, NULL, &request);
    if (rc < 0)
        return rc;
    if (answer->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    return is_layout(client, answer) ? 0 : -EPROTO;
}

static int make_object(struct weir_object_client *client, const struct weir_object_params *params,
                       struct weir_object **object)
{
    struct weir_object *made = calloc(1, sizeof *made);
    struct shared_object *shared_object = made ? find_shared(client, &client->call.answer) : NULL;

    if (!shared_object) {
        free(made);
        return -ENOMEM;
    }
    *made = (struct weir_object){.next = client->objects,
                                 .shared_object = shared_object,
                                 .can_read = params->can_read,
                                 .can_write = params->can_write};
    client->objects = made;
    if (params->can_write)
        shared_object->expected_bytes = params->expected_bytes;
    *object = made;
    return 0;
}

int weir_object_open(struct weir_object_client *client, const struct weir_object_params *params,
                     struct weir_object **object)
{
    const struct weir_answer *answer = &client->call.answer;
    struct weir_object *opened = NULL;
    int rc = ask_open(client, params);
    bool is_new;

    if (rc < 0)
        return rc;
    rc = make_object(client, params, &opened);
    if (rc < 0) {
        weir_client_call_home(client, WEIR_VERB_CLOSE, answer->object, answer->generation, 0);
        return rc;
    }
    is_new = answer->flags & WEIR_ANSWER_CREATED;
    drop_orphans(client, &client->servers[weir_object_home(answer->object)]);
    /* Not when the first transfer comes there, which is timed; it tells of those that are gone. */
    for (uint32_t i = 0; i < opened->shared_object->pattern.count; i++) {
        struct client_server *server = opened->shared_object->shards[i].server;

        if (weir_client_reach(client, server) == 0 && !server->was_touched)
            weir_client_touch(client, server);
    }
    /* Only whoever made it: others ask for what they come across. That memory will not do is told
     * by the transfer that finds none. */
    if (is_new && opened->shared_object->expected_bytes > 0)
        weir_client_map(client, opened->shared_object, 0, opened->shared_object->expected_bytes,
                        true);
    *object = opened;
    return 0;
}

/* The server may give these chunks to others. */
static void release_shards(struct weir_object_client *client, struct shared_object *shared_object)
{
    for (uint32_t i = 0; i < shared_object->pattern.count; i++)
        if (shared_object->shards[i].was_asked_for &&
            shared_object->shards[i].server->state == SERVER_UP)
            weir_client_call(client, shared_object->shards[i].server,
                             &(struct weir_request){.verb = WEIR_VERB_RELEASE,
                                                    .object = shared_object->id,
                                                    .generation = shared_object->facts.generation},
                             NULL);
}

int weir_object_close(struct weir_object_client *client, struct weir_object *object)
{
    struct shared_object *shared_object = object->shared_object;
    uint64_t bytes =
        shared_object->facts.bytes > shared_object->told_bytes ? shared_object->facts.bytes : 0;
    uint64_t until_ns = 0;
    int rc;

    while (object->slots > 0)
        if (weir_client_wait(client, UINT64_MAX, &until_ns) == WAIT_BROKEN)
            return -EIO;
    if (shared_object->openings == 1)
        release_shards(client, shared_object);
    rc = weir_client_call_home(client, WEIR_VERB_CLOSE, shared_object->id,
                               shared_object->facts.generation, bytes);
    if (rc == 0) {
        shared_object->told_bytes = bytes > 0 ? bytes : shared_object->told_bytes;
        drop_orphans(client, &client->servers[weir_object_home(shared_object->id)]);
    }
    free_object(client, object);
    return rc;
}

int weir_client_ask_size(struct weir_object_client *client, struct shared_object *shared_object)
{
    int rc = weir_client_call_home(client, WEIR_VERB_STAT, shared_object->id,
                                   shared_object->facts.generation, 0);
    uint64_t bytes = client->call.answer.size;

    if (rc < 0)
        return rc;
    if (bytes > shared_object->told_bytes)
        shared_object->told_bytes = bytes;
    if (bytes > shared_object->facts.bytes)
        shared_object->facts.bytes = bytes;
    return 0;
}

int64_t weir_object_size(struct weir_object_client *client, struct weir_object *object)
{
    int rc = weir_client_ask_size(client, object->shared_object);

    return rc < 0 ? rc : (int64_t)object->shared_object->facts.bytes;
}

/* ---- names ---- */

int weir_object_stat(struct weir_object_client *client, const char *path,
                     struct weir_object_facts *facts)
{
    int rc = call_by_path(client, path, NULL, &(struct weir_request){.verb = WEIR_VERB_STAT});

    if (rc == 0)
        weir_client_read_facts(&client->call.answer, facts);
    return rc;
}

int weir_object_unlink(struct weir_object_client *client, const char *path)
{
    int rc = call_by_path(client, path, NULL, &(struct weir_request){.verb = WEIR_VERB_UNLINK});

    if (rc == 0)
        drop_orphans(client, server_of(client, weir_path_directory(path_of(path))));
    return rc;
}

int weir_object_mkdir(struct weir_object_client *client, const char *path)
{
    return call_by_path(client, path, NULL, &(struct weir_request){.verb = WEIR_VERB_MKDIR});
}

/* A page of the names in a directory; *payload must be freed. */
static int ask_page(struct weir_object_client *client, struct weir_path directory, uint64_t *cookie,
                    uint32_t *count, unsigned char **payload)
{
    const uint64_t most = client->params.fabric.message_bytes - sizeof(struct weir_answer);
    const struct weir_answer *answer = &client->call.answer;
    int rc = weir_client_reach_and_call(
        client, server_of(client, directory),
        &(struct weir_request){.verb = WEIR_VERB_LIST, .cookie = *cookie, .bytes = most},
        &(struct parts){.path = directory});

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

static void visit(const struct weir_list_item *item, const unsigned char *name,
                  struct visitor *visitor)
{
    char own[WEIR_OBJECT_PATH_BYTES];
    struct weir_object_facts facts = {.kind = (enum weir_object_kind)item->kind,
                                      .bytes = item->size,
                                      .generation = item->generation,
                                      .unit_bytes = item->unit_bytes,
                                      .stripe_count = item->stripe_count};

    memcpy(own, name, item->name_bytes);
    own[item->name_bytes] = '\0';
    visitor->is_done = !visitor->name(visitor->context, own, &facts);
}

static int visit_page(const unsigned char *payload, uint32_t bytes, uint32_t count,
                      struct visitor *visitor)
{
    for (uint32_t i = 0; i < count && !visitor->is_done; i++) {
        struct weir_list_item item;

        if (bytes < sizeof item)
            return -EPROTO;
        memcpy(&item, payload, sizeof item);
        if (item.name_bytes > bytes - sizeof item || item.name_bytes > WEIR_PATH_BYTES_MAX)
            return -EPROTO;
        visit(&item, payload + sizeof item, visitor);
        payload += sizeof item + item.name_bytes;
        bytes -= (uint32_t)sizeof item + item.name_bytes;
    }
    return 0;
}

int weir_object_list(struct weir_object_client *client, const char *path,
                     bool (*name)(void *context, const char *name,
                                  const struct weir_object_facts *facts),
                     void *context)
{
    struct visitor visitor = {.name = name, .context = context};
    uint64_t cookie = 0;
    int rc;

    do {
        unsigned char *payload;
        uint32_t count;

        rc = ask_page(client, path_of(path), &cookie, &count, &payload);
        if (rc < 0)
            return rc;
        rc = visit_page(payload, (uint32_t)rc, count, &visitor);
        free(payload);
    } while (rc == 0 && cookie != 0 && !visitor.is_done);
    return rc;
}

/* ---- directories without names ---- */

/* Where the names in a directory are another server's than its own, that one takes none until it is
 * unlocked; else the server that removes or renames the directory sees for itself. */
static int tell_lock(struct weir_object_client *client, const char *path, enum weir_verb verb)
{
    struct parts parts = {.path = path_of(path)};
    struct client_server *server = server_of(client, parts.path);

    if (parts.path.count == 0 || server == server_of(client, weir_path_directory(parts.path)))
        return 0;
    return call_when_unlocked(client, server, &(struct weir_request){.verb = verb}, &parts);
}

int weir_object_rmdir(struct weir_object_client *client, const char *path)
{
    int rc = tell_lock(client, path, WEIR_VERB_LOCK);

    if (rc < 0)
        return rc;
    rc = call_by_path(client, path, NULL, &(struct weir_request){.verb = WEIR_VERB_RMDIR});
    tell_lock(client, path, WEIR_VERB_UNLOCK);
    return rc;
}

/* Locked in one order: of clients that are about the same directories, one gets both. */
static int rename_directory(struct weir_object_client *client, const char *path,
                            const char *new_path)
{
    const struct weir_request request = {.verb = WEIR_VERB_RENAME, .flags = WEIR_REQUEST_DIRECTORY};
    const bool is_first = strcmp(path, new_path) < 0;
    const char *const paths[] = {is_first ? path : new_path, is_first ? new_path : path};
    unsigned locked = 0;
    int rc = 0;

    while (rc == 0 && locked < 2) {
        rc = tell_lock(client, paths[locked], WEIR_VERB_LOCK);
        locked += rc == 0;
    }
    if (rc == 0)
        rc = call_by_path(client, path, new_path, &request);
    while (locked > 0)
        tell_lock(client, paths[--locked], WEIR_VERB_UNLOCK);
    return rc;
}

int weir_object_rename(struct weir_object_client *client, const char *path, const char *new_path)
{
    struct client_server *home = server_of(client, weir_path_directory(path_of(path)));
    int rc;

    if (home != server_of(client, weir_path_directory(path_of(new_path)))) {
        weir_client_note_failure(client, home, -EXDEV);
        return -EXDEV;
    }
    rc = call_by_path(client, path, new_path, &(struct weir_request){.verb = WEIR_VERB_RENAME});
    if (rc == -EISDIR && client->call.answer.kind == WEIR_OBJECT_DIRECTORY)
        return rename_directory(client, path, new_path);
    if (rc == 0)
        drop_orphans(client, home);
    return rc;
}
