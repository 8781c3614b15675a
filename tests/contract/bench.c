/* SPDX-License-Identifier: Apache-2.0 */
/* Opens what contract tests need in the way the engine does. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What all sessions of backends with servers begin with: little memory, and no hardware. */
static const char server_options[] =
    "rdma.targets=self,rdma.capacity=64m,rdma.provider=tcp,rdma.timeout=20";

static const unsigned char test_secret[WEIR_JOB_SECRET_BYTES] = "a secret of the contract suite";

unsigned abilities_of(const struct subject *subject)
{
    return (subject->inner ? subject->inner : subject->backend)->descriptor.abilities;
}

void skip_because(const char *reason)
{
    print_message("[  REASON  ] %s\n", reason);
    skip();
}

void require_names_of_kernel(const struct subject *subject)
{
    if (subject->backend->server)
        skip_because("the names are not those of the kernel");
}

static size_t bind(struct bench *bench, struct weir_option_binding bindings[2])
{
    const struct subject *subject = bench->subject;
    size_t count = 0;

    bench->options =
        weir_arena_take(&bench->arena, subject->backend->descriptor.options.values_bytes + 1);
    if (subject->backend->descriptor.options.rows)
        bindings[count++] = (struct weir_option_binding){
            .set = &subject->backend->descriptor.options, .values = bench->options};
    if (!subject->inner)
        return count;
    bench->inner_options =
        weir_arena_take(&bench->arena, subject->inner->descriptor.options.values_bytes + 1);
    if (subject->inner->descriptor.options.rows)
        bindings[count++] = (struct weir_option_binding){.set = &subject->inner->descriptor.options,
                                                         .values = bench->inner_options};
    return count;
}

static void read_options(struct bench *bench, const char *options)
{
    struct weir_option_binding bindings[2];
    struct weir_error error = {0};
    const struct weir_option_parser parser = {
        .place = "test",
        .arena = &bench->arena,
        .bindings = bindings,
        .binding_count = bind(bench, bindings),
    };

    weir_options_reset(&parser);
    if (bench->subject->backend->server &&
        weir_options_assign_list(&parser, "test", server_options, &error) < 0)
        fail_msg("%s", error.text);
    if (bench->subject->options &&
        weir_options_assign_list(&parser, "test", bench->subject->options, &error) < 0)
        fail_msg("%s", error.text);
    if (options && weir_options_assign_list(&parser, "test", options, &error) < 0)
        fail_msg("%s", error.text);
}

/* ---- servers ---- */

void close_served(struct served *served)
{
    if (served->own)
        served->own->backend->server->close(served->own);
    weir_arena_close(&served->arena);
    memset(served, 0, sizeof *served);
}

/* All ranks learn where all servers are. */
static void tell_addresses(struct served *served, struct weir_group *group, const unsigned roles[])
{
    char mine[WEIR_SERVER_ADDRESS_BYTES] = "";
    size_t bytes = (size_t)group->size * sizeof mine;
    char *all = weir_arena_take(&served->arena, bytes);

    if (served->own)
        memcpy(mine, served->own->address, sizeof mine);
    assert_int_equal(weir_group_gather(group, mine, sizeof mine, group->rank == 0 ? all : NULL), 0);
    assert_int_equal(weir_group_broadcast(group, all, bytes, 0), 0);
    served->addresses =
        weir_arena_take(&served->arena, (size_t)group->size * sizeof *served->addresses);
    for (int rank = 0; rank < group->size; rank++)
        if (roles[rank] & WEIR_ROLE_SERVER)
            served->addresses[served->count++] = all + (size_t)rank * sizeof mine;
}

static void open_served(struct served *served, const struct bench *bench)
{
    const struct weir_server_ops *server = bench->backend->server;
    struct weir_group *group = bench->subject->group;
    struct weir_server_params params = {
        .options = bench->options,
        .is_on_one_node = group->node_count == 1,
        .secret = test_secret,
    };
    struct weir_error error = {0};
    unsigned roles[64];

    close_served(served);
    assert_in_range(group->size, 1, sizeof roles / sizeof *roles);
    if (server->assign(bench->options, group, roles, &error) < 0)
        fail_msg("%s", error.text);
    for (int rank = 0; rank < group->size; rank++) {
        params.server_number += rank < group->rank && roles[rank] & WEIR_ROLE_SERVER;
        params.server_count += (roles[rank] & WEIR_ROLE_SERVER) != 0;
    }
    if (roles[group->rank] & WEIR_ROLE_SERVER && server->open(&params, &served->own, &error) < 0)
        fail_msg("%s", error.text);
    tell_addresses(served, group, roles);
    served->subject = bench->subject;
}

/* The directory of the test is a name there as well. */
static void make_directory(const struct subject *subject, struct weir_session *session)
{
    int rc =
        subject->group->rank == 0 ? session->backend->names->mkdir(session, subject->directory) : 0;

    assert_true(rc == 0 || rc == -EEXIST);
    assert_int_equal(weir_group_barrier(subject->group), 0);
}

static int open_session(struct bench *bench, struct weir_session_params *params,
                        struct weir_error *error)
{
    const struct subject *subject = bench->subject;
    struct served *served = subject->served;
    bool is_new = bench->backend->server && served->subject != subject;
    int rc;

    if (is_new)
        open_served(served, bench);
    if (bench->backend->server) {
        params->servers = served->addresses;
        params->server_count = served->count;
        params->secret = test_secret;
    }
    rc = subject->backend->open(params, &bench->session, error);
    if (rc == 0 && is_new)
        make_directory(subject, bench->session);
    return rc;
}

int try_session(struct bench *bench, const struct subject *subject, const char *options,
                struct weir_error *error)
{
    struct weir_session_params params = {
        .depth = subject->depth,
        .group = subject->group,
        .inner = subject->inner,
    };

    memset(bench, 0, sizeof *bench);
    bench->subject = subject;
    bench->backend = subject->backend;
    read_options(bench, options);
    params.options = bench->options;
    params.inner_options = bench->inner_options;
    return open_session(bench, &params, error);
}

void forget_session(struct bench *bench)
{
    if (bench->session)
        bench->backend->close(bench->session);
    weir_arena_close(&bench->arena);
}

void open_bench(struct bench *bench, const struct subject *subject, const char *options)
{
    struct weir_error error = {0};
    struct weir_alignment alignment;

    if (try_session(bench, subject, options, &error) < 0)
        fail_msg("%s", error.text);
    if (bench->backend->names && bench->backend->names->alignment &&
        bench->backend->names->alignment(bench->session, path_of(bench, "any"), &alignment) ==
            -EOPNOTSUPP) {
        forget_session(bench);
        skip_because("the file system of the working directory has no O_DIRECT");
    }
    weir_clock_calibrate(&bench->clock, false);
    assert_int_equal(weir_queue_open(&bench->queue, bench->session, &bench->clock), 0);
}

void close_bench(struct bench *bench)
{
    weir_queue_close(&bench->queue);
    forget_session(bench);
}

const char *path_of(struct bench *bench, const char *name)
{
    return weir_arena_printf(&bench->arena, "%s/%s", bench->subject->directory, name);
}

struct weir_file *make_file(struct bench *bench, const char *path)
{
    const struct weir_file_params params = {
        .path = path,
        .can_write = true,
        .can_read = true,
        .must_create = true,
        .group = bench->subject->group,
    };
    struct weir_file *file = NULL;

    assert_int_equal(bench->backend->file->open(bench->session, &params, &file), 0);
    return file;
}

int open_file(struct bench *bench, const char *path, bool can_write, struct weir_file **file)
{
    const struct weir_file_params params = {
        .path = path,
        .can_write = can_write,
        .can_read = true,
        .group = bench->subject->group,
    };

    return bench->backend->file->open(bench->session, &params, file);
}

void close_file(struct bench *bench, struct weir_file *file)
{
    assert_int_equal(bench->backend->file->close(bench->session, file), 0);
}

unsigned char *make_data(struct bench *bench, uint64_t units, unsigned seed)
{
    unsigned char *data = weir_arena_take(&bench->arena, (units + 1) * UNIT_BYTES);

    data += (UNIT_BYTES - (uintptr_t)data % UNIT_BYTES) % UNIT_BYTES;
    for (uint64_t i = 0; i < units * UNIT_BYTES; i++)
        data[i] = (unsigned char)(i * 7 + i / UNIT_BYTES * 13 + seed);
    return data;
}

struct weir_op *send_op(struct bench *bench, enum weir_op_verb verb, struct weir_file *file,
                        void *data, uint64_t offset, uint64_t size)
{
    struct weir_op *op = weir_queue_take(&bench->queue);

    if (!op)
        return NULL;
    op->verb = verb;
    op->is_collective = false;
    op->file = file;
    op->data = data;
    op->offset = offset;
    op->size = size;
    weir_queue_send(&bench->queue, op);
    return op;
}

int64_t move(struct bench *bench, enum weir_op_verb verb, struct weir_file *file, void *data,
             uint64_t offset, uint64_t size)
{
    struct weir_op *op = send_op(bench, verb, file, data, offset, size);
    struct weir_op *done = NULL;
    int64_t result;

    assert_non_null(op);
    assert_int_equal(weir_queue_reap(&bench->queue, &done, 1, 1, WEIR_FOREVER), 1);
    assert_ptr_equal(done, op);
    /* A backend may borrow these members, but hands them back. */
    assert_ptr_equal(done->file, file);
    assert_int_equal(done->size, size);
    assert_int_equal(done->offset, offset);
    assert_ptr_equal(done->data, data);
    result = done->result;
    weir_queue_give(&bench->queue, done);
    return result;
}

int stat_name(struct bench *bench, const char *path, struct weir_name_facts *facts)
{
    return bench->backend->names->stat(bench->session, path, facts);
}

void remove_name(struct bench *bench, const char *path)
{
    if (abilities_of(bench->subject) & WEIR_CAN_NAME)
        assert_int_equal(bench->backend->names->unlink(bench->session, path), 0);
}

static void reap_full(struct bench *bench)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    int count = weir_queue_reap(&bench->queue, done, 1, WEIR_DEPTH_MAX, WEIR_FOREVER);

    assert_true(count >= 1);
    for (int i = 0; i < count; i++) {
        assert_int_equal(done[i]->result, done[i]->size);
        weir_queue_give(&bench->queue, done[i]);
    }
}

void move_units(struct bench *bench, enum weir_op_verb verb, struct weir_file *file,
                unsigned char *data, uint64_t units, bool is_collective)
{
    uint64_t unit = units;

    while (unit > 0 || weir_queue_outstanding(&bench->queue) > 0) {
        struct weir_op *op;

        while (unit > 0 && (op = weir_queue_take(&bench->queue)) != NULL) {
            unit--;
            op->verb = verb;
            op->is_collective = is_collective;
            op->file = file;
            op->data = data + unit * UNIT_BYTES;
            op->offset = unit * UNIT_BYTES;
            op->size = UNIT_BYTES;
            weir_queue_send(&bench->queue, op);
        }
        reap_full(bench);
    }
}
