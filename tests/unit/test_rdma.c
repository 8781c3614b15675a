/* SPDX-License-Identifier: Apache-2.0 */
/* What the backend of remote memory makes of its options: who serves, what is refused, and what a
 * session tells of itself. */
#include "rdma_options.h"
#include "weir/base/facts.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS_MAX = 8, DEPTH = 4 };

extern const struct weir_backend weir_backend_rdma;

static int try_options(struct weir_arena *arena, const char *list, void **values,
                       struct weir_error *error)
{
    const struct weir_option_set *set = &weir_backend_rdma.descriptor.options;
    struct weir_option_binding binding = {.set = set};
    const struct weir_option_parser parser = {
        .place = "test", .arena = arena, .bindings = &binding, .binding_count = 1};

    *values = binding.values = weir_arena_take(arena, set->values_bytes);
    weir_options_reset(&parser);
    return *list ? weir_options_assign_list(&parser, "test", list, error) : 0;
}

static const struct weir_rdma_options *read_options(struct weir_arena *arena, const char *list)
{
    struct weir_error error = {0};
    void *values;

    if (try_options(arena, list, &values, &error) < 0)
        fail_msg("%s", error.text);
    return values;
}

static void values_out_of_bounds_are_refused_as_they_are_read(void **state)
{
    static const char *const cases[][2] = {
        {"rdma.stripe-unit=100", "test: rdma.stripe-unit: 100 is not between 512 and 1t"},
        {"rdma.stripe-count=2000", "test: rdma.stripe-count: 2000 is not between 0 and "},
        {"rdma.gid=-2", "test: rdma.gid: -2 is not between -1 and 255"},
        {"rdma.mtu=8k", "test: rdma.mtu: 8k is not between 0 and 4096"},
        {"rdma.capacity=1k", "test: rdma.capacity: 1k is not between 1m and 1p"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_arena arena = {0};
        struct weir_error error = {0};
        void *values;

        assert_true(try_options(&arena, cases[i][0], &values, &error) < 0);
        assert_int_equal(strncmp(error.text, cases[i][1], strlen(cases[i][1])), 0);
        weir_arena_close(&arena);
    }
}

/* ---- who serves ---- */

/* Ranks on nodes: "0011" has two on each of two. */
static void make_group(struct weir_group *group, const char *nodes, int node_of_rank[RANKS_MAX])
{
    static const char names[RANKS_MAX][WEIR_NODE_NAME_BYTES] = {"n0", "n1", "n2", "n3"};

    memset(group, 0, sizeof *group);
    group->size = (int)strlen(nodes);
    for (int rank = 0; rank < group->size; rank++) {
        node_of_rank[rank] = nodes[rank] - '0';
        if (node_of_rank[rank] >= group->node_count)
            group->node_count = node_of_rank[rank] + 1;
    }
    group->node_of_rank = node_of_rank;
    group->node_names = names;
}

static const char *roles_of(const char *options, const char *nodes, struct weir_error *error)
{
    static const char letters[] = "-csb"; /* nothing, client, server, both */
    static char text[RANKS_MAX + 1];
    int node_of_rank[RANKS_MAX];
    unsigned roles[RANKS_MAX];
    struct weir_arena arena = {0};
    struct weir_group group;
    int rc;

    make_group(&group, nodes, node_of_rank);
    rc = weir_backend_rdma.server->assign(read_options(&arena, options), &group, roles, error);
    weir_arena_close(&arena);
    if (rc < 0)
        return error->text;
    for (int rank = 0; rank < group.size; rank++)
        text[rank] = letters[roles[rank] & 3];
    text[group.size] = '\0';
    return text;
}

static void the_last_ranks_serve(void **state)
{
    static const struct {
        const char *options;
        const char *nodes;
        const char *roles;
    } cases[] = {
        {"", "0", "b"},
        {"", "0000", "cccs"},
        {"rdma.targets=1", "00", "cs"},
        {"rdma.targets=2", "0011", "ccss"},
        {"rdma.targets=3", "0011", "csss"},
        {"rdma.targets=self", "0", "b"},
        {"rdma.targets=self", "011", "bbb"},
        {"rdma.targets=per-node", "0011", "cscs"},
        {"rdma.targets=per-node", "0101", "ccss"},
        {"rdma.targets=per-node", "00", "cs"},
        {"rdma.targets=2,rdma.stripe-count=2", "0000", "ccss"},
        {"rdma.targets=1,rdma.back=/x", "00", "cs"},
        {"rdma.targets=2,rdma.back=/x%d", "000", "css"},
        {"rdma.hosts=a:1,rdma.secret-file=s", "0011", "cccc"},
        {"rdma.hosts-file=f,rdma.secret-file=s", "00", "cc"},
        {"rdma.targets=1,rdma.provider=shm", "00", "cs"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};

        assert_string_equal(roles_of(cases[i].options, cases[i].nodes, &error), cases[i].roles);
    }
}

static void what_makes_no_sense_is_refused_with_the_way_out(void **state)
{
    static const struct {
        const char *options;
        const char *nodes;
        const char *words;
    } cases[] = {
        {"rdma.targets=2", "00", "start at least 3"},
        {"rdma.targets=1", "0", "--rdma.targets self"},
        {"rdma.targets=0", "00", "from 1 to"},
        {"rdma.targets=many", "00", "per-node, or self"},
        {"rdma.targets=-1", "00", "from 1 to"},
        {"rdma.targets=1x", "00", "from 1 to"},
        {"rdma.targets=per-node", "001", "node n1 has a single rank"},
        {"rdma.targets=1,rdma.hosts=a:1,rdma.secret-file=s", "00", "leave out one of them"},
        {"rdma.hosts=a:1", "00", "--rdma.secret-file FILE"},
        {"rdma.hosts=a:1,rdma.hosts-file=f,rdma.secret-file=s", "00", "both name the servers"},
        {"rdma.secret-file=s", "00", "leave it out"},
        {"rdma.hosts=a:1,rdma.secret-file=s,rdma.back=/x", "00", "weir serve --back"},
        {"rdma.hosts=a:1,rdma.secret-file=s,rdma.capacity=2g", "00", "weir serve --capacity"},
        {"rdma.stripe-count=2,rdma.targets=1", "00", "name at most as many"},
        {"rdma.back=/x,rdma.targets=2", "000", "put %d"},
        {"rdma.flush=storage", "00", "--rdma.back FILE"},
        {"rdma.provider=tcp,rdma.gid=3", "00", "--rdma.gid is about verbs"},
        {"rdma.provider=shm,rdma.device=d", "00", "--rdma.device is about verbs"},
        {"rdma.provider=tcp,rdma.mtu=1024", "00", "--rdma.mtu is about verbs"},
        {"rdma.mtu=1000", "00", "4096"},
        {"rdma.device=a;;b", "00", "device 2 has no name"},
        {"rdma.device=a;", "00", "device 2 has no name"},
        {"rdma.timeout=0", "00", "--rdma.timeout"},
        {"rdma.provider=shm,rdma.targets=1", "01", "shared within a node"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};

        roles_of(cases[i].options, cases[i].nodes, &error);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        assert_int_equal(strncmp(error.text, "rdma: ", 6), 0);
        if (!strstr(error.text, cases[i].words))
            fail_msg("%s: \"%s\" has no \"%s\"", cases[i].options, error.text, cases[i].words);
    }
}

/* ---- devices ---- */

static void each_on_a_node_has_another_device_of_the_list(void **state)
{
    static const struct {
        const char *list;
        unsigned number;
        const char *device; /* NULL: whichever is the number-th */
        unsigned count;
    } cases[] = {
        {"rdma.device=mlx5_0", 0, "mlx5_0", 1},
        {"rdma.device=mlx5_0", 3, "mlx5_0", 1},
        {"rdma.device=mlx5_0/1;mlx5_2;mlx5_7/2", 0, "mlx5_0/1", 3},
        {"rdma.device=mlx5_0/1;mlx5_2;mlx5_7/2", 1, "mlx5_2", 3},
        {"rdma.device=mlx5_0/1;mlx5_2;mlx5_7/2", 5, "mlx5_7/2", 3},
        {"", 0, NULL, 0},
        {"", 5, NULL, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_arena arena = {0};
        const struct weir_rdma_options *options = read_options(&arena, cases[i].list);
        char device[WEIR_RDMA_DEVICE_BYTES];
        struct weir_fabric_params params =
            weir_rdma_fabric_params(options, cases[i].number, device, NULL);

        assert_int_equal(weir_rdma_device_count(options), cases[i].count);
        if (cases[i].device)
            assert_string_equal(params.device, cases[i].device);
        else
            assert_null(params.device);
        assert_int_equal(params.device_number, cases[i].device ? 0 : cases[i].number);
        weir_arena_close(&arena);
    }
}

/* ---- servers that run already ---- */

/* All addresses, with a space behind each. */
static int read_hosts(const struct weir_rdma_options *options, struct weir_text *all,
                      struct weir_error *error)
{
    const char *const *addresses;
    struct weir_arena arena = {0};
    unsigned count;
    int rc = weir_rdma_hosts_read(options, &arena, &addresses, &count, error);

    for (unsigned n = 0; rc == 0 && n < count; n++)
        weir_text_add(all, "%s ", addresses[n]);
    weir_arena_close(&arena);
    return rc;
}

static void hosts_come_from_a_list_or_a_file(void **state)
{
    static const struct {
        const char *text;
        const char *addresses; /* or what is wrong */
    } cases[] = {
        {"127.0.0.1:7471\n127.0.0.2:7472\n", "127.0.0.1:7471 127.0.0.2:7472 "},
        {"# two\n\n  127.0.0.1:7471  # the first\n\t127.0.0.2:7472\r\n",
         "127.0.0.1:7471 127.0.0.2:7472 "},
        {"127.0.0.1:7471", "127.0.0.1:7471 "},
        {"", "names no server"},
        {"# none\n", "names no server"},
        {"n1\n", "no HOST:PORT"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[] = "hosts-XXXXXX";
        struct weir_rdma_options options = {.hosts_file = path};
        struct weir_error error = {0};
        struct weir_text all = {0};
        int fd = mkstemp(path);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, cases[i].text, strlen(cases[i].text)), strlen(cases[i].text));
        close(fd);
        if (read_hosts(&options, &all, &error) == 0)
            assert_string_equal(weir_text_string(&all), cases[i].addresses);
        else
            assert_non_null(strstr(error.text, cases[i].addresses));
        unlink(path);
        weir_text_close(&all);
    }
}

static void hosts_of_a_list_are_taken_in_their_order(void **state)
{
    struct weir_rdma_options options = {.hosts = "127.0.0.2:2/127.0.0.1:1;[::1]:3"};
    struct weir_error error = {0};
    struct weir_text all = {0};

    assert_int_equal(read_hosts(&options, &all, &error), 0);
    assert_string_equal(weir_text_string(&all), "127.0.0.2:2 127.0.0.1:1 [::1]:3 ");
    options.hosts = NULL;
    options.hosts_file = "no-such-file";
    assert_true(read_hosts(&options, &all, &error) < 0);
    assert_non_null(strstr(error.text, "no-such-file"));
    weir_text_close(&all);
}

/* As "$first/$second" is where a variable was never set. */
static void a_server_without_a_name_is_refused(void **state)
{
    static const struct {
        const char *hosts;
        const char *words;
    } cases[] = {
        {"/127.0.0.2:2", "server 1 of \"/127.0.0.2:2\" has no name"},
        {"127.0.0.1:1/", "server 2 of"},
        {"127.0.0.1:1//127.0.0.3:3", "server 2 of"},
        {"127.0.0.1:1; ;127.0.0.3:3", "server 2 of"},
        {"/", "server 1 of \"/\" has no name: HOST:PORT"},
        {" \t", "server 1 of"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_rdma_options options = {.hosts = cases[i].hosts};
        struct weir_error error = {0};
        struct weir_text all = {0};

        assert_true(read_hosts(&options, &all, &error) < 0);
        assert_non_null(strstr(error.text, cases[i].words));
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        weir_text_close(&all);
    }
}

/* ---- which servers do for another test ---- */

static void servers_stay_if_only_clients_change(void **state)
{
    static const struct {
        const char *options;
        bool is_same;
    } cases[] = {
        {"", true},
        {"rdma.mode=send", true},
        {"rdma.stripe-unit=64k", true},
        {"rdma.flush=accepted", true},
        {"rdma.spin=1", true},
        {"rdma.capacity=2g", false},
        {"rdma.provider=shm", false},
        {"rdma.back=/x", false},
        {"rdma.huge-pages=1", true},
        {"rdma.interface=eth7", false},
    };
    struct weir_arena arena = {0};
    const void *plain = read_options(&arena, "");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            weir_backend_rdma.server->is_same(plain, read_options(&arena, cases[i].options)),
            cases[i].is_same);
    weir_arena_close(&arena);
}

/* ---- a session ---- */

struct scene {
    unsigned depth; /* asked for; 0: DEPTH */
    struct weir_arena arena;
    struct weir_group *group;
    struct weir_server *server;
    struct weir_session *session;
    struct weir_file *file;
    char back[32];
};

static const unsigned char secret[WEIR_JOB_SECRET_BYTES] = "of the job";

/* Of the latest server. */
static pthread_t bound_thread;
static atomic_int bound_node, bound_count;

static void note_bound(int32_t numa_node)
{
    bound_thread = pthread_self();
    bound_node = numa_node;
    bound_count++;
}

static void open_scene(struct scene *scene, const char *options)
{
    const void *values = read_options(&scene->arena, options);
    struct weir_error error = {0};
    const char *servers[1];

    assert_int_equal(weir_group_self_open(&scene->group), 0);
    if (weir_backend_rdma.server->open(&(struct weir_server_params){.options = values,
                                                                    .server_count = 1,
                                                                    .client_count = 1,
                                                                    .is_on_one_node = true,
                                                                    .secret = secret,
                                                                    .bind = note_bound},
                                       &scene->server, &error) < 0)
        fail_msg("%s", error.text);
    servers[0] = scene->server->address;
    if (weir_backend_rdma.open(
            &(struct weir_session_params){.depth = scene->depth > 0 ? scene->depth : DEPTH,
                                          .options = values,
                                          .group = scene->group,
                                          .servers = servers,
                                          .server_count = 1,
                                          .secret = secret},
            &scene->session, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(weir_backend_rdma.file->open(scene->session,
                                                  &(struct weir_file_params){.path = "object",
                                                                             .can_write = true,
                                                                             .can_read = true,
                                                                             .must_create = true,
                                                                             .group = scene->group},
                                                  &scene->file),
                     0);
}

static void close_scene(struct scene *scene)
{
    if (scene->file)
        weir_backend_rdma.file->close(scene->session, scene->file);
    weir_backend_rdma.close(scene->session);
    if (scene->server)
        weir_backend_rdma.server->close(scene->server);
    weir_group_close(scene->group);
    weir_arena_close(&scene->arena);
}

static int64_t write_byte(struct scene *scene)
{
    unsigned char byte = 1;
    struct weir_op op = {
        .verb = WEIR_OP_WRITE, .file = scene->file, .data = &byte, .offset = 0, .size = 1};

    return weir_backend_rdma.transfer->transfer(scene->session, &op);
}

static void describe(struct scene *scene, struct weir_session_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    weir_backend_rdma.describe(scene->session, facts);
}

static void forget(struct weir_session_facts *facts)
{
    weir_text_close(&facts->granted);
    weir_text_close(&facts->shortfall);
}

/* Of the transfers of a phase, no more are under way than the link or the server's buffers take:
 * 32 of each client, where an eighth of the free memory holds those of all clients (one here). */
static void a_session_has_the_depth_that_can_be_in_flight(void **state)
{
    static const struct {
        const char *options;
        unsigned asked, got;
    } cases[] = {
        {"rdma.mode=onesided", 8, 8},       {"rdma.mode=onesided", 512, 512},
        {"rdma.mode=onesided", 4096, 4096}, {"rdma.mode=pull", 31, 31},
        {"rdma.mode=pull", 64, 31},         {"rdma.mode=send", 4096, 31},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = {.depth = cases[i].asked};
        char options[256];

        snprintf(options, sizeof options, "rdma.provider=tcp,rdma.capacity=2m,%s",
                 cases[i].options);
        open_scene(&scene, options);
        assert_int_equal(scene.session->depth, cases[i].got);
        close_scene(&scene);
    }
}

/* 127.0.0.1 is near no node. */
static void the_thread_of_a_server_is_bound_near_its_device(void **state)
{
    struct scene scene = {0};

    bound_count = 0;
    open_scene(&scene, "rdma.provider=tcp,rdma.capacity=2m,rdma.interface=127.0.0.1");
    assert_int_equal(bound_count, 1);
    assert_int_equal(bound_node, WEIR_NUMA_UNKNOWN);
    assert_false(pthread_equal(bound_thread, pthread_self()));
    close_scene(&scene);
}

static void a_session_says_that_memory_is_not_durable(void **state)
{
    static const struct {
        const char *options;
        const char *level;
        bool is_durable;
    } cases[] = {
        {"", "fsync: visible (not durable)", false},
        {"rdma.flush=accepted", "fsync: accepted (not durable)", false},
        {"rdma.back=rdma-back.%d", "fsync: storage", true},
        {"rdma.back=rdma-back.%d,rdma.flush=visible", "fsync: visible (not durable)", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = {0};
        struct weir_session_facts facts;
        char options[256];

        snprintf(options, sizeof options, "rdma.provider=tcp,rdma.capacity=2m%s%s",
                 *cases[i].options ? "," : "", cases[i].options);
        open_scene(&scene, options);
        describe(&scene, &facts);
        assert_null(strstr(weir_text_string(&facts.granted), "fsync"));
        assert_non_null(strstr(weir_text_string(&facts.granted), "provider tcp"));
        assert_non_null(strstr(weir_text_string(&facts.granted), "1 server,"));
        assert_non_null(strstr(weir_text_string(&facts.granted), "stripe unit 1m"));
        assert_string_equal(weir_text_string(&facts.shortfall), "");
        forget(&facts);
        assert_int_equal(write_byte(&scene), 1);
        assert_int_equal(weir_backend_rdma.file->sync(scene.session, scene.file), 0);
        describe(&scene, &facts);
        assert_non_null(strstr(weir_text_string(&facts.granted), cases[i].level));
        assert_int_equal(strstr(weir_text_string(&facts.shortfall), "durable") == NULL,
                         cases[i].is_durable);
        forget(&facts);
        close_scene(&scene);
    }
    unlink("rdma-back.0");
}

static void a_failure_is_explained_with_the_server(void **state)
{
    struct scene scene = {0};
    struct weir_text text = {0};

    open_scene(&scene, "rdma.provider=tcp,rdma.capacity=2m");
    assert_int_equal(write_byte(&scene), 1);
    weir_backend_rdma.server->close(scene.server);
    scene.server = NULL;
    assert_int_equal(write_byte(&scene), -EHOSTDOWN);
    weir_backend_rdma.explain(scene.session, &text);
    assert_non_null(strstr(weir_text_string(&text), "server 0 at 127.0.0.1:"));
    weir_text_close(&text);
    close_scene(&scene);
}

static void a_session_without_servers_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"", "--rdma.hosts"},
        {"rdma.hosts=127.0.0.1:1,rdma.secret-file=no-such-file", "no-such-file"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_session *session = NULL;
        struct weir_arena arena = {0};
        struct weir_error error = {0};

        assert_true(weir_backend_rdma.open(
                        &(struct weir_session_params){.depth = 1,
                                                      .options = read_options(&arena, cases[i][0])},
                        &session, &error) < 0);
        assert_null(session);
        assert_non_null(strstr(error.text, cases[i][1]));
        weir_arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_out_of_bounds_are_refused_as_they_are_read),
        cmocka_unit_test(the_last_ranks_serve),
        cmocka_unit_test(what_makes_no_sense_is_refused_with_the_way_out),
        cmocka_unit_test(each_on_a_node_has_another_device_of_the_list),
        cmocka_unit_test(hosts_come_from_a_list_or_a_file),
        cmocka_unit_test(hosts_of_a_list_are_taken_in_their_order),
        cmocka_unit_test(a_server_without_a_name_is_refused),
        cmocka_unit_test(servers_stay_if_only_clients_change),
        cmocka_unit_test(a_session_has_the_depth_that_can_be_in_flight),
        cmocka_unit_test(the_thread_of_a_server_is_bound_near_its_device),
        cmocka_unit_test(a_session_says_that_memory_is_not_durable),
        cmocka_unit_test(a_failure_is_explained_with_the_server),
        cmocka_unit_test(a_session_without_servers_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
