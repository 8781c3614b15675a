/* SPDX-License-Identifier: Apache-2.0 */
/* Servers in the job: who serves, what all ranks are told, and when servers are kept or opened
 * anew; on ranks that are threads, with a backend whose servers do nothing. */
#include "engine/servers.h"
#include "thread_group.h"

#include "weir/system/memory_place.h"
#include "weir/system/running.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { SIZE = 4, NOBODY = -1 };

/* ---- a backend with servers ---- */

struct fake_options {
    int64_t servers; /* bits: ranks that serve, ... */
    int64_t only;    /* ... and those that are no clients */
    int64_t capacity;
    int64_t mode;   /* of clients alone */
    int64_t broken; /* rank whose server does not open */
    int64_t wrong;  /* rank that refuses the options */
};

/* Of all ranks. */
struct counts {
    atomic_int opened, closed, numbers, same_nodes, bound, neighbours, on_node[SIZE];
};

/* Options point to what a test counts. */
struct asked {
    struct fake_options options;
    struct counts *counts;
    int rank;
};

struct fake_server {
    struct weir_server base;
    struct counts *counts;
};

#define AT(member) WEIR_OPTION_AT(struct asked, options.member)
static const struct weir_option fake_rows[] = {
    {0, "servers", WEIR_OPTION_COUNT, AT(servers), .help = "bits"},
    {0, "capacity", WEIR_OPTION_COUNT, AT(capacity), .help = "bytes"},
    {0, "mode", WEIR_OPTION_COUNT, AT(mode), .help = "of clients"},
    {0},
};

static int fake_assign(const void *options, const struct weir_group *group, unsigned roles[],
                       struct weir_error *error)
{
    const struct asked *asked = options;

    for (int rank = 0; rank < group->size; rank++) {
        roles[rank] = (asked->options.only >> rank & 1) != 0 ? 0 : WEIR_ROLE_CLIENT;
        roles[rank] |= (asked->options.servers >> rank & 1) != 0 ? WEIR_ROLE_SERVER : 0;
    }
    if (asked->options.wrong == group->rank)
        return weir_error_usage(error, "fake", "nobody can serve so");
    return 0;
}

static int fake_open(const struct weir_server_params *params, struct weir_server **server,
                     struct weir_error *error)
{
    const struct asked *asked = params->options;
    struct fake_server *fake;

    if (asked->options.broken == asked->rank)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "fake", "no memory to serve");
    fake = calloc(1, sizeof *fake);
    assert_non_null(fake);
    fake->counts = asked->counts;
    atomic_fetch_add(&asked->counts->opened, 1);
    atomic_fetch_or(&asked->counts->numbers, 1 << params->server_number);
    atomic_fetch_add(&asked->counts->same_nodes, params->is_on_one_node);
    atomic_fetch_add(&asked->counts->bound, params->bind == weir_running_bind_near &&
                                                params->place == weir_memory_place_near);
    atomic_fetch_add(&asked->counts->on_node[params->number_on_node], 1);
    atomic_fetch_add(&asked->counts->neighbours, (int)params->node_server_count);
    snprintf(fake->base.address, sizeof fake->base.address, "rank%d:%u of %u", asked->rank,
             params->server_number, params->server_count);
    *server = &fake->base;
    return 0;
}

static void fake_close(struct weir_server *server)
{
    atomic_fetch_add(&((struct fake_server *)server)->counts->closed, 1);
    free(server);
}

static bool is_same_but_mode(const void *options, const void *others)
{
    const struct asked *one = options, *other = others;

    return one->options.capacity == other->options.capacity;
}

static const struct weir_server_ops fake_ops = {
    .assign = fake_assign, .open = fake_open, .close = fake_close};
static const struct weir_server_ops choosy_ops = {
    .assign = fake_assign, .open = fake_open, .close = fake_close, .is_same = is_same_but_mode};

#define FAKE(word)                                                                                 \
    {                                                                                              \
        .name = word, .label = word, .options = { word, fake_rows, sizeof(struct asked) }          \
    }
static const struct weir_backend fake = {.descriptor = FAKE("fake"), .server = &fake_ops};
static const struct weir_backend choosy = {.descriptor = FAKE("choosy"), .server = &choosy_ops};
static const struct weir_backend plain = {.descriptor = {.name = "plain", .label = "plain"}};
static const struct weir_backend wrapper = {.descriptor = {.name = "wrapper", .label = "wrapper"}};
static const struct weir_backend *const backends[] = {&fake, &choosy, &plain, &wrapper};
static const struct weir_registry registry = {.backends = backends,
                                              .count = sizeof backends / sizeof *backends};

/* ---- ranks ---- */

#define STEPS_MAX 4

/* Tests one after the other, and what is true after each. */
struct step {
    const struct weir_backend *backend;
    bool is_wrapped;
    struct fake_options options;
    uint64_t rank_limit;
    int opened; /* so far, on all ranks */
    int closed;
    const char *addresses; /* that sessions are told, each with a blank before it */
    const char *clients;   /* "0 1": ranks that take part */
    const char *error;     /* that all ranks know; NULL: none */
};

struct scene {
    const struct step *steps;
    struct counts counts;
    struct world world;
};

struct member {
    struct scene *scene;
    int rank;
    pthread_t thread;
    char failure[256]; /* cmocka knows this thread only */
};

#define EXPECT(member, condition, ...)                                                             \
    do {                                                                                           \
        if (!(condition) && (member)->failure[0] == '\0')                                          \
            snprintf((member)->failure, sizeof(member)->failure, __VA_ARGS__);                     \
    } while (0)

static void list_addresses(const struct weir_servers *servers, char list[256])
{
    struct weir_session_params params = {0};
    size_t used = 0;

    list[0] = '\0';
    weir_servers_fill_params(servers, &params);
    for (unsigned i = 0; i < params.server_count; i++)
        used += (size_t)snprintf(list + used, 256 - used, " %s", params.servers[i]);
}

static void list_clients(const struct weir_servers *servers, char list[64])
{
    size_t used = 0;

    list[0] = '\0';
    for (int rank = 0; rank < SIZE; rank++)
        if (weir_servers_is_client(servers, rank))
            used += (size_t)snprintf(list + used, 64 - used, used > 0 ? " %d" : "%d", rank);
}

/* All ranks have the secret of rank 0, and it is one. */
static void check_secret(struct member *member, struct weir_servers *servers)
{
    struct weir_session_params params = {0};
    uint64_t words[WEIR_JOB_SECRET_BYTES / 8] = {0};
    uint64_t firsts[WEIR_JOB_SECRET_BYTES / 8];

    weir_servers_fill_params(servers, &params);
    if (params.secret != NULL)
        memcpy(words, params.secret, sizeof words);
    memcpy(firsts, words, sizeof firsts);
    weir_group_broadcast(servers->group, firsts, sizeof firsts, 0);
    EXPECT(member, memcmp(firsts, words, sizeof words) == 0, "the secret is another one");
    EXPECT(member, params.secret == NULL || words[0] != 0 || words[1] != 0, "the secret is zero");
}

static void take_step(struct member *member, struct weir_servers *servers, const struct step *step,
                      struct asked *asked)
{
    struct weir_engine_params params = {.registry = &registry, .group = servers->group};
    struct weir_error error = {0};
    char addresses[256], clients[64];

    *asked = (struct asked){step->options, &member->scene->counts, member->rank};
    const struct weir_test test = {.backend = step->is_wrapped ? &wrapper.descriptor
                                                               : &step->backend->descriptor,
                                   .backend_options = step->is_wrapped ? NULL : asked,
                                   .inner = step->is_wrapped ? &step->backend->descriptor : NULL,
                                   .inner_options = step->is_wrapped ? asked : NULL,
                                   .rank_limit = step->rank_limit};

    weir_servers_prepare(servers, &params, &test, &error);
    weir_group_barrier(servers->group);
    EXPECT(member, member->scene->counts.opened == step->opened, "%d opened, not %d",
           member->scene->counts.opened, step->opened);
    EXPECT(member, member->scene->counts.closed == step->closed, "%d closed, not %d",
           member->scene->counts.closed, step->closed);
    EXPECT(member, (step->error == NULL) == !weir_error_is_set(&error), "error: %s", error.text);
    EXPECT(member, step->error == NULL || strstr(error.text, step->error) != NULL, "error: %s",
           error.text);
    if (step->error == NULL) {
        list_addresses(servers, addresses);
        list_clients(servers, clients);
        EXPECT(member, strcmp(addresses, step->addresses) == 0, "servers:%s", addresses);
        EXPECT(member, strcmp(clients, step->clients) == 0, "clients: %s", clients);
        check_secret(member, servers);
    }
    weir_group_barrier(servers->group);
}

static void *play(void *context)
{
    struct member *member = context;
    struct thread_group group;
    struct weir_servers servers;
    struct weir_error error = {0};
    struct asked asked[STEPS_MAX]; /* as those of a plan, they live as long as the run */

    join_world(&group, &member->scene->world, member->rank);
    EXPECT(member, weir_servers_open(&servers, &group.base, &error) == 0, "%s", error.text);
    for (unsigned i = 0; i < STEPS_MAX && member->scene->steps[i].backend != NULL; i++) {
        take_step(member, &servers, &member->scene->steps[i], &asked[i]);
        if (member->failure[0] != '\0') {
            char text[sizeof member->failure];

            memcpy(text, member->failure, sizeof text);
            snprintf(member->failure, sizeof member->failure, "step %u, rank %d: %.200s", i,
                     member->rank, text);
            break;
        }
    }
    weir_servers_close(&servers);
    return NULL;
}

static void play_on_ranks(struct scene *scene, int ranks_per_node)
{
    struct member members[SIZE];

    open_world(&scene->world, SIZE, ranks_per_node);
    for (int rank = 0; rank < SIZE; rank++) {
        members[rank] = (struct member){.scene = scene, .rank = rank};
        assert_int_equal(pthread_create(&members[rank].thread, NULL, play, &members[rank]), 0);
    }
    for (int rank = 0; rank < SIZE; rank++)
        pthread_join(members[rank].thread, NULL);
    for (int rank = 0; rank < SIZE; rank++)
        if (members[rank].failure[0] != '\0')
            fail_msg("%s", members[rank].failure);
    assert_int_equal(scene->counts.opened, scene->counts.closed);
    close_world(&scene->world);
}

/* ---- scenes ---- */

#define LAST_TWO .servers = 0xc, .only = 0xc, .broken = NOBODY, .wrong = NOBODY
#define SELF .servers = 0xf, .broken = NOBODY, .wrong = NOBODY
#define ELSEWHERE .broken = NOBODY, .wrong = NOBODY
#define TWO " rank2:0 of 2 rank3:1 of 2"
#define FOUR " rank0:0 of 4 rank1:1 of 4 rank2:2 of 4 rank3:3 of 4"

static void ranks_serve_or_are_clients_as_the_backend_says(void **state)
{
    static const struct step scenes[][STEPS_MAX] = {
        {{&fake, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL}},
        {{&fake, false, {SELF}, 0, 4, 0, FOUR, "0 1 2 3", NULL}},
        {{&fake, false, {ELSEWHERE}, 0, 0, 0, "", "0 1 2 3", NULL}},
        {{&fake, true, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL}},
        {{&plain, false, {LAST_TWO}, 0, 0, 0, "", "0 1 2 3", NULL}},
        {{&fake,
          false,
          {.servers = 0xa, .only = 0x2, .broken = NOBODY, .wrong = NOBODY},
          0,
          2,
          0,
          " rank1:0 of 2 rank3:1 of 2",
          "0 2 3",
          NULL}},
        /* fewer ranks, of those that are clients; servers stay as they are */
        {{&fake, false, {LAST_TWO}, 1, 2, 0, TWO, "0", NULL}},
        {{&fake, false, {LAST_TWO}, 2, 2, 0, TWO, "0 1", NULL}},
        {{&fake, false, {LAST_TWO}, 3, 2, 0, TWO, "0 1", NULL}},
        {{&fake, false, {SELF}, 3, 4, 0, FOUR, "0 1 2", NULL}},
        {{&fake,
          false,
          {.servers = 0x2, .only = 0x2, .broken = NOBODY, .wrong = NOBODY},
          2,
          1,
          0,
          " rank1:0 of 1",
          "0 2",
          NULL}},
        {{&plain, false, {ELSEWHERE}, 3, 0, 0, "", "0 1 2", NULL}},
    };

    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct scene scene = {.steps = scenes[i]};

        play_on_ranks(&scene, SIZE);
        assert_int_equal(scene.counts.numbers, (1 << scene.counts.opened) - 1);
    }
}

static void servers_are_kept_as_long_as_their_options_are(void **state)
{
    static const struct step scenes[][STEPS_MAX] = {
        {{&fake, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL},
         {&fake, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL},
         {&fake, true, {LAST_TWO}, 1, 2, 0, TWO, "0", NULL}},
        {{&fake, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL},
         {&fake, false, {LAST_TWO, .mode = 1}, 0, 4, 2, TWO, "0 1", NULL}},
        {{&choosy, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL},
         {&choosy, false, {LAST_TWO, .mode = 1}, 0, 2, 0, TWO, "0 1", NULL},
         {&choosy, false, {LAST_TWO, .capacity = 1}, 0, 4, 2, TWO, "0 1", NULL},
         {&fake, false, {LAST_TWO, .capacity = 1}, 0, 6, 4, TWO, "0 1", NULL}},
        /* other ranks serve, which is_same does not know */
        {{&choosy, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL},
         {&choosy, false, {SELF}, 0, 6, 2, FOUR, "0 1 2 3", NULL}},
        /* tests without servers, or with those of others */
        {{&choosy, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL},
         {&plain, false, {ELSEWHERE}, 0, 2, 0, "", "0 1 2 3", NULL},
         {&choosy, false, {ELSEWHERE}, 0, 2, 0, "", "0 1 2 3", NULL},
         {&choosy, false, {LAST_TWO}, 0, 2, 0, TWO, "0 1", NULL}},
    };

    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct scene scene = {.steps = scenes[i]};

        play_on_ranks(&scene, SIZE);
    }
}

static void what_one_rank_cannot_do_all_ranks_know_and_nothing_stays_open(void **state)
{
    static const struct step scenes[][STEPS_MAX] = {
        {{&fake,
          false,
          {.servers = 0xc, .only = 0xc, .broken = 3, .wrong = NOBODY},
          0,
          1,
          1,
          NULL,
          NULL,
          "rank 3 on host host-0: fake: no memory to serve"}},
        {{&fake,
          false,
          {.servers = 0xf, .broken = 0, .wrong = NOBODY},
          0,
          3,
          3,
          NULL,
          NULL,
          "fake: no memory to serve"}},
        {{&fake,
          false,
          {.servers = 0xc, .only = 0xc, .broken = NOBODY, .wrong = 1},
          0,
          0,
          0,
          NULL,
          NULL,
          "fake: nobody can serve so"}},
    };

    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct scene scene = {.steps = scenes[i]};

        play_on_ranks(&scene, SIZE);
    }
}

static void servers_know_whether_all_ranks_are_on_their_node(void **state)
{
    static const struct step steps[STEPS_MAX] = {
        {&fake, false, {SELF}, 0, 4, 0, FOUR, "0 1 2 3", NULL}};
    struct scene together = {.steps = steps}, apart = {.steps = steps};

    play_on_ranks(&together, SIZE);
    assert_int_equal(together.counts.same_nodes, 4);
    for (unsigned number = 0; number < SIZE; number++)
        assert_int_equal(together.counts.on_node[number], 1);
    assert_int_equal(together.counts.neighbours, 4 * 4);
    play_on_ranks(&apart, 2);
    assert_int_equal(apart.counts.same_nodes, 0);
    assert_int_equal(apart.counts.neighbours, 4 * 2);
    for (unsigned number = 0; number < SIZE; number++)
        assert_int_equal(apart.counts.on_node[number], number < 2 ? 2 : 0);
    /* And their memory and threads can be put near their devices. */
    assert_int_equal(apart.counts.bound, SIZE);
}

/* ---- sitting out ---- */

struct sleeper {
    struct world *world;
    pthread_t thread;
    int rank;
    int code;
    atomic_bool is_back;
};

static void *sit_out(void *context)
{
    struct sleeper *sleeper = context;
    unsigned roles[SIZE] = {1, 1, 1, 1};
    struct thread_group group;
    struct weir_servers servers = {.group = &group.base, .roles = roles};

    join_world(&group, sleeper->world, sleeper->rank);
    sleeper->code = weir_servers_wait(&servers, &(volatile sig_atomic_t){0});
    sleeper->is_back = true;
    return NULL;
}

static void ranks_that_sit_out_wait_for_rank_0_and_nobody_else_is_sent_anything(void **state)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    unsigned roles[SIZE] = {1, 1, 1, 1};
    struct sleeper sleepers[SIZE] = {0};
    struct thread_group first, second;
    struct weir_servers servers = {.group = &first.base, .roles = roles, .client_end = 2};
    struct world world;

    open_world(&world, SIZE, SIZE);
    join_world(&first, &world, 0);
    join_world(&second, &world, 1);
    for (int rank = 2; rank < SIZE; rank++) {
        sleepers[rank].world = &world;
        sleepers[rank].rank = rank;
        assert_int_equal(pthread_create(&sleepers[rank].thread, NULL, sit_out, &sleepers[rank]), 0);
    }
    nanosleep(&pause, NULL);
    assert_false(sleepers[2].is_back || sleepers[3].is_back);
    assert_int_equal(weir_servers_end_wait(&servers), 0);
    for (int rank = 2; rank < SIZE; rank++) {
        pthread_join(sleepers[rank].thread, NULL);
        assert_int_equal(sleepers[rank].code, 0);
    }
    assert_false(thread_has_message(&second.base, 0));
    close_world(&world);
}

enum { MANY = 1 << 20 };

static int count_word(struct weir_group *group, const void *data, size_t bytes, int to)
{
    *(int *)group->native += 1;
    return 0;
}

/* One look at each of a million ranks; with one at all ranks before each, it would take hours. */
static void the_end_is_told_in_one_walk_over_the_ranks(void **state)
{
    static const struct weir_group_ops ops = {.send = count_word};
    int words = 0;
    struct weir_group group = {.ops = &ops, .size = MANY, .native = &words};
    unsigned *roles = calloc(MANY, sizeof *roles);
    struct weir_servers servers = {.group = &group, .roles = roles, .client_end = MANY / 2};

    assert_non_null(roles);
    for (int rank = 0; rank < MANY; rank++)
        roles[rank] = rank % 4 == 3 ? WEIR_ROLE_SERVER : WEIR_ROLE_CLIENT;
    assert_int_equal(weir_servers_end_wait(&servers), 0);
    assert_int_equal(words, MANY - MANY / 2 / 4 * 3);
    free(roles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_serve_or_are_clients_as_the_backend_says),
        cmocka_unit_test(servers_are_kept_as_long_as_their_options_are),
        cmocka_unit_test(what_one_rank_cannot_do_all_ranks_know_and_nothing_stays_open),
        cmocka_unit_test(servers_know_whether_all_ranks_are_on_their_node),
        cmocka_unit_test(ranks_that_sit_out_wait_for_rank_0_and_nobody_else_is_sent_anything),
        cmocka_unit_test(the_end_is_told_in_one_walk_over_the_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
