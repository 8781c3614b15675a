/* SPDX-License-Identifier: Apache-2.0 */
/* Named objects in the memory of servers, moved by RDMA verbs, TCP or shared memory. */
#include "rdma_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const struct weir_backend weir_backend_rdma;

/* Of work requests: transfers of more than one piece, and syncs, need more than the queue's depth.
 */
enum { LEAST_LINK_DEPTH = 128 };

struct rdma_session {
    struct weir_session base;
    struct weir_arena arena; /* addresses that --rdma.hosts names */
    struct weir_object_client *client;
    struct weir_object_io *ios;        /* of each slot */
    struct weir_object_io **submitted; /* a batch of them, in the order of submit */
    struct weir_object_io **done;
    unsigned server_count;
    uint64_t unit_bytes;
    enum weir_object_mode mode;
    enum weir_object_flush flush;
    bool is_strict;
    struct weir_error lend_error; /* why lent memory is not registered, if it is not */
};

struct rdma_file {
    struct weir_file base;
    struct weir_object *object;
};

static struct rdma_session *rdma_of(struct weir_session *session)
{
    return (struct rdma_session *)session;
}

static struct weir_object *object_of(struct weir_file *file)
{
    return ((struct rdma_file *)file)->object;
}

/* ---- session ---- */

static int find_servers(struct rdma_session *rdma, const struct weir_session_params *params,
                        const char *const **addresses, struct weir_error *error)
{
    const struct weir_rdma_options *options = params->options;

    if (weir_rdma_has_hosts(options))
        return weir_rdma_hosts_read(options, &rdma->arena, addresses, &rdma->server_count, error);
    if (params->server_count == 0)
        return weir_error_usage(error, "rdma",
                                "there is no server: have ranks serve with --rdma.targets, or name "
                                "some that run with --rdma.hosts");
    *addresses = params->servers;
    rdma->server_count = params->server_count;
    return 0;
}

static int find_secret(const struct weir_session_params *params,
                       unsigned char secret[WEIR_SECRET_BYTES], struct weir_error *error)
{
    const struct weir_rdma_options *options = params->options;

    if (options->secret_file)
        return weir_secret_read(options->secret_file, secret, error);
    if (params->secret)
        memcpy(secret, params->secret, WEIR_SECRET_BYTES);
    return 0;
}

static int open_client(struct rdma_session *rdma, const struct weir_session_params *params,
                       struct weir_error *error)
{
    const struct weir_rdma_options *options = params->options;
    const unsigned node_rank = params->group ? (unsigned)params->group->node_rank : 0;
    unsigned char secret[WEIR_SECRET_BYTES] = {0};
    char device[WEIR_RDMA_DEVICE_BYTES];
    struct weir_object_client_params client = {.depth = params->depth};
    int rc = find_servers(rdma, params, &client.addresses, error);

    if (rc == 0)
        rc = find_secret(params, secret, error);
    if (rc < 0)
        return rc;
    if (options->stripe_count > rdma->server_count)
        return weir_error_usage(error, "rdma",
                                "--rdma.stripe-count %u: there are only %u servers: name "
                                "at most as many, or 0 for all",
                                options->stripe_count, rdma->server_count);
    /* Without a list of devices, the first one is that of all clients. */
    client.fabric =
        weir_rdma_fabric_params(options, options->fabric.device ? node_rank : 0, device, secret);
    if (params->depth > LEAST_LINK_DEPTH)
        client.fabric.depth = params->depth;
    client.server_count = rdma->server_count;
    if (params->group) {
        client.first_server = (unsigned)params->group->rank % rdma->server_count;
        client.client_count = (unsigned)params->group->size;
        /* The first one of each device makes it. */
        client.leaves_trial = node_rank > 0 && node_rank >= weir_rdma_device_count(options);
    }
    client.stripe_unit_bytes = rdma->unit_bytes;
    client.stripe_count = options->stripe_count;
    client.mode = rdma->mode;
    client.flush = rdma->flush;
    client.tells_size_at_once = rdma->is_strict;
    rc = weir_object_client_open(&client, &rdma->client, error);
    if (rc == 0)
        rc = weir_object_client_preflight(rdma->client, error);
    if (rc == 0)
        rdma->base.depth = weir_object_client_depth(rdma->client);
    return rc;
}

static void rdma_session_close(struct weir_session *session)
{
    struct rdma_session *rdma = rdma_of(session);

    weir_object_client_close(rdma->client);
    weir_arena_close(&rdma->arena);
    free(rdma->ios);
    free(rdma->submitted);
    free(rdma->done);
    free(rdma);
}

static int fill_session(struct rdma_session *rdma, const struct weir_session_params *params,
                        struct weir_error *error)
{
    const struct weir_rdma_options *options = params->options;

    rdma->base = (struct weir_session){
        .backend = &weir_backend_rdma,
        .depth = params->depth,
        .wants_huge_pages = options->wants_huge_pages,
    };
    rdma->unit_bytes = options->stripe_unit_bytes;
    rdma->mode = options->mode;
    rdma->flush = options->flush;
    rdma->is_strict = options->sizes == WEIR_RDMA_STRICT;
    rdma->ios = calloc(params->depth, sizeof *rdma->ios);
    rdma->submitted = calloc(params->depth, sizeof(struct weir_object_io *));
    rdma->done = calloc(params->depth, sizeof(struct weir_object_io *));
    if (!rdma->ios || !rdma->submitted || !rdma->done)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "rdma", "out of memory");
    return open_client(rdma, params, error);
}

static int rdma_session_open(const struct weir_session_params *params,
                             struct weir_session **session, struct weir_error *error)
{
    struct rdma_session *opened;
    int rc = weir_rdma_options_check(params->options, error);

    if (rc < 0)
        return rc;
    opened = calloc(1, sizeof *opened);
    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "rdma", "out of memory");
    rc = fill_session(opened, params, error);
    if (rc < 0) {
        rdma_session_close(&opened->base);
        return rc;
    }
    *session = &opened->base;
    return 0;
}

/* ---- what it got ---- */

static const char *const mode_words[] = {"one-sided", "pulled by servers", "in messages"};
static const char *const flush_words[] = {"not used", "accepted (not durable)",
                                          "visible (not durable)", "storage"};

static void describe_network(const struct rdma_session *rdma, struct weir_session_facts *facts)
{
    const struct weir_fabric_facts *fabric = weir_object_client_facts(rdma->client);

    weir_session_got(facts, "provider %s", fabric->provider);
    if (fabric->device[0] != '\0')
        weir_session_got(facts, "device %s", fabric->device);
    if (fabric->transport[0] != '\0')
        weir_session_got(facts, "%s", fabric->transport);
    if (fabric->address[0] != '\0')
        weir_session_got(facts, fabric->gid_index >= 0 ? "GID %s" : "address %s", fabric->address);
    if (fabric->mtu_bytes > 0)
        weir_session_got(facts, "MTU %" PRIu32, fabric->mtu_bytes);
}

static void rdma_describe(struct weir_session *session, struct weir_session_facts *facts)
{
    const struct rdma_session *rdma = rdma_of(session);
    enum weir_object_flush level = weir_object_client_flushed(rdma->client);
    char unit[WEIR_SIZE_TEXT_BYTES];

    describe_network(rdma, facts);
    weir_session_got(facts, "data %s", mode_words[rdma->mode]);
    weir_session_got(facts, "%u server%s", rdma->server_count, rdma->server_count == 1 ? "" : "s");
    weir_session_got(facts, "stripe unit %s", weir_size_format_exact(rdma->unit_bytes, unit));
    if (level != WEIR_FLUSH_BEST)
        weir_session_got(facts, "fsync: %s", flush_words[level]);
    if (level == WEIR_FLUSH_ACCEPTED || level == WEIR_FLUSH_VISIBLE)
        weir_session_missed(
            facts, "fsync ended in the servers' memory, which is not durable -> --rdma.back FILE");
    if (weir_error_is_set(&rdma->lend_error))
        weir_session_missed(facts, "data were copied, as buffers are not registered (%s)",
                            rdma->lend_error.text);
}

static void rdma_explain(struct weir_session *session, struct weir_text *text)
{
    weir_object_client_explain(rdma_of(session)->client, text);
}

static int rdma_lend(struct weir_session *session, void *memory, size_t bytes,
                     struct weir_error *error)
{
    struct rdma_session *rdma = rdma_of(session);

    (void)error;
    memset(&rdma->lend_error, 0, sizeof rdma->lend_error);
    weir_object_lend(rdma->client, memory, bytes, &rdma->lend_error);
    return 0;
}

static void rdma_give_back(struct weir_session *session)
{
    weir_object_give_back(rdma_of(session)->client);
}

/* ---- transfers ---- */

static struct weir_object_io *prepare(struct rdma_session *rdma, struct weir_op *op)
{
    static const enum weir_object_verb verbs[] = {
        [WEIR_OP_WRITE] = WEIR_OBJECT_WRITE,
        [WEIR_OP_READ] = WEIR_OBJECT_READ,
        [WEIR_OP_SYNC] = WEIR_OBJECT_SYNC,
    };
    struct weir_object_io *io = &rdma->ios[op->slot];

    *io = (struct weir_object_io){
        .object = object_of(op->file),
        .verb = verbs[op->verb],
        .data = op->data,
        .offset = op->offset,
        .bytes = op->size,
        .context = op,
        .slot = op->slot,
    };
    return io;
}

static int rdma_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct rdma_session *rdma = rdma_of(session);

    if (count > session->depth)
        count = session->depth;
    for (unsigned i = 0; i < count; i++)
        rdma->submitted[i] = prepare(rdma, ops[i]);
    return weir_object_submit(rdma->client, rdma->submitted, count);
}

static int rdma_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                     unsigned max, uint64_t timeout_ns)
{
    struct rdma_session *rdma = rdma_of(session);
    int count;

    if (max > session->depth)
        max = session->depth;
    count = weir_object_reap(rdma->client, rdma->done, min, max, timeout_ns);
    for (int i = 0; i < count; i++) {
        done[i] = rdma->done[i]->context;
        done[i]->result = rdma->done[i]->result;
    }
    return count;
}

static int64_t rdma_transfer(struct weir_session *session, struct weir_op *op)
{
    struct rdma_session *rdma = rdma_of(session);
    struct weir_object_io *io = prepare(rdma, op);
    int rc = weir_object_submit(rdma->client, &io, 1);

    while (rc >= 0) {
        rc = weir_object_reap(rdma->client, rdma->done, 1, 1, WEIR_FOREVER);
        if (rc == 1)
            return io->result;
    }
    return rc;
}

/* ---- files ---- */

static int rdma_open(struct weir_session *session, const struct weir_file_params *params,
                     struct weir_file **file)
{
    const struct weir_object_params object = {
        .path = params->path,
        .can_write = params->can_write,
        .can_read = params->can_read,
        .must_create = params->must_create,
        .expected_bytes = params->expected_bytes,
    };
    struct rdma_file *opened = calloc(1, sizeof *opened);
    int rc;

    if (!opened)
        return -ENOMEM;
    rc = weir_object_open(rdma_of(session)->client, &object, &opened->object);
    if (rc < 0) {
        free(opened);
        return rc;
    }
    opened->base.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    *file = &opened->base;
    return 0;
}

static int rdma_close(struct weir_session *session, struct weir_file *file)
{
    int rc = weir_object_close(rdma_of(session)->client, object_of(file));

    free(file);
    return rc;
}

static int rdma_sync(struct weir_session *session, struct weir_file *file)
{
    return weir_object_sync(rdma_of(session)->client, object_of(file));
}

static int64_t rdma_size(struct weir_session *session, struct weir_file *file)
{
    return weir_object_size(rdma_of(session)->client, object_of(file));
}

/* ---- names ---- */

static struct weir_name_facts facts_of(const struct weir_object_facts *found)
{
    return (struct weir_name_facts){
        .kind = found->kind == WEIR_OBJECT_DIRECTORY ? WEIR_NAME_DIRECTORY : WEIR_NAME_FILE,
        .bytes = found->bytes,
    };
}

static int rdma_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts)
{
    struct weir_object_facts found;
    int rc = weir_object_stat(rdma_of(session)->client, path, &found);

    if (rc == 0)
        *facts = facts_of(&found);
    return rc;
}

static int rdma_unlink(struct weir_session *session, const char *path)
{
    return weir_object_unlink(rdma_of(session)->client, path);
}

static int rdma_mkdir(struct weir_session *session, const char *path)
{
    return weir_object_mkdir(rdma_of(session)->client, path);
}

static int rdma_rmdir(struct weir_session *session, const char *path)
{
    return weir_object_rmdir(rdma_of(session)->client, path);
}

static int rdma_rename(struct weir_session *session, const char *path, const char *new_path)
{
    return weir_object_rename(rdma_of(session)->client, path, new_path);
}

struct listing {
    weir_name_visit *visit;
    void *context;
    struct weir_name_facts *facts;
    uint64_t found;
};

static bool list_name(void *context, const char *name, const struct weir_object_facts *found)
{
    struct listing *listing = context;

    listing->found++;
    if (listing->facts)
        *listing->facts = facts_of(found);
    return !listing->visit || listing->visit(listing->context, name) == 0;
}

/* Facts come with the names. What no name begins with has an empty list: it may not be there. */
static int rdma_list(struct weir_session *session, const char *path, weir_name_visit *visit,
                     void *context, struct weir_name_facts *facts, uint64_t *found)
{
    struct listing listing = {.visit = visit, .context = context, .facts = facts};
    struct weir_object_facts directory;
    int rc = weir_object_list(rdma_of(session)->client, path, list_name, &listing);

    if (rc == 0 && listing.found == 0)
        rc = weir_object_stat(rdma_of(session)->client, path, &directory);
    if (rc == 0 && listing.found == 0 && directory.kind != WEIR_OBJECT_DIRECTORY)
        rc = -ENOTDIR;
    if (rc == 0)
        *found = listing.found;
    return rc;
}

static int rdma_check(struct weir_session *session, const char *path, struct weir_error *error)
{
    (void)session;
    if (strlen(path) < WEIR_OBJECT_PATH_BYTES)
        return 0;
    return weir_error_usage(error, "rdma",
                            "names of objects have at most %d bytes, and this one has %zu: choose "
                            "a shorter one",
                            WEIR_OBJECT_PATH_BYTES - 1, strlen(path));
}

static int rdma_alignment(struct weir_session *session, const char *path,
                          struct weir_alignment *alignment)
{
    (void)session;
    (void)path;
    *alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    return 0;
}

static void rdma_diagnose(struct weir_diagnosis *diagnosis, const char *path)
{
    (void)path;
    weir_fabric_diagnose(diagnosis);
}

static const struct weir_transfer_ops rdma_transfer_ops = {
    .transfer = rdma_transfer,
    .submit = rdma_submit,
    .reap = rdma_reap,
};

static const struct weir_file_ops rdma_file_ops = {
    .open = rdma_open,
    .close = rdma_close,
    .sync = rdma_sync,
    .size = rdma_size,
};

static const struct weir_name_ops rdma_name_ops = {
    .stat = rdma_stat,
    .unlink = rdma_unlink,
    .mkdir = rdma_mkdir,
    .rmdir = rdma_rmdir,
    .rename = rdma_rename,
    .list = rdma_list,
    .check = rdma_check,
    .alignment = rdma_alignment,
    .implies_directories = true,
};

static const struct weir_memory_ops rdma_memory_ops = {
    .lend = rdma_lend,
    .give_back = rdma_give_back,
};

const struct weir_backend weir_backend_rdma = {
    .descriptor = {.name = "rdma",
                   .label = "RDMA",
                   .version = "",
                   .summary = "named objects in the memory of servers, through RDMA verbs, TCP or "
                              "shared memory",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_CAN_QUEUE |
                                WEIR_BYPASSES_CACHE,
                   .name_verbs = WEIR_NAMES_RENAME | WEIR_NAMES_LIST,
                   .standard_depth = 1,
                   .standard_batch = 1,
                   .options = {"RDMA", weir_rdma_rows, sizeof(struct weir_rdma_options)},
                   .check = weir_rdma_options_check},
    .open = rdma_session_open,
    .close = rdma_session_close,
    .describe = rdma_describe,
    .diagnose = rdma_diagnose,
    .explain = rdma_explain,
    .transfer = &rdma_transfer_ops,
    .file = &rdma_file_ops,
    .names = &rdma_name_ops,
    .memory = &rdma_memory_ops,
    .server = &weir_rdma_server_ops,
};
