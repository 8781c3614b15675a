/* SPDX-License-Identifier: Apache-2.0 */
/* Places of ranks: what the launcher gave them, what is refused, and what holds on any host. Which
 * place is whose is told by the golden tests (tests/golden/topology). */
#include "weir/system/bindings.h"

#include "weir/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the golden tests. */
#define HOST(name) WEIR_TEST_HOSTS "/" name ".xml"

#define RANKS_MAX 256

struct bench {
    struct weir_topology *topology;
    struct weir_pinning pinning;
    struct weir_cpu_set given[RANKS_MAX];
    unsigned ranks[RANKS_MAX];
    struct weir_binding bindings[RANKS_MAX];
    struct weir_binding_request request;
    struct weir_error error;
};

/* A host, from a file or a text, and ranks that may run on all of it. */
static struct bench *bench_open(const char *host, enum weir_pin_policy policy, unsigned count)
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct weir_topology_source source = {0};
    struct weir_cpu_set all, allowed;

    assert_non_null(bench);
    if (*host == '/')
        source.xml_path = host;
    else
        source.synthetic = host;
    assert_int_equal(weir_topology_open(&source, &bench->topology, &bench->error), 0);
    weir_topology_processors(bench->topology, &all, &allowed);
    for (unsigned i = 0; i < RANKS_MAX; i++) {
        bench->given[i] = allowed;
        bench->ranks[i] = i;
    }
    bench->pinning.policy = policy;
    bench->request = (struct weir_binding_request){.pinning = &bench->pinning,
                                                   .rank_count = count,
                                                   .given = bench->given,
                                                   .ranks = bench->ranks};
    return bench;
}

static void bench_close(struct bench *bench)
{
    weir_topology_close(bench->topology);
    free(bench);
}

static void give(struct bench *bench, unsigned i, const char *cpus)
{
    bench->given[i] = (struct weir_cpu_set){0};
    if (*cpus != '\0')
        assert_int_equal(weir_cpu_set_parse(cpus, &bench->given[i]), 0);
}

static int plan(struct bench *bench)
{
    memset(&bench->error, 0, sizeof bench->error);
    return weir_bindings_plan(bench->topology, &bench->request, bench->bindings, &bench->error);
}

/* The processors of all ranks, with "|" between, and behind each one letters for what is to be
 * said of it. */
static void assert_bindings(struct bench *bench, const char *expected)
{
    struct weir_text text = {0};

    if (plan(bench) != 0)
        fail_msg("%s", bench->error.text);
    for (unsigned i = 0; i < bench->request.rank_count; i++) {
        const struct weir_binding *binding = &bench->bindings[i];

        weir_text_add(&text, "%s", i > 0 ? "|" : "");
        weir_cpu_set_format(&binding->cpus, &text);
        weir_text_add(&text, "%s%s%s", binding->is_shared ? "s" : "",
                      binding->is_narrowed ? "n" : "", binding->is_far ? "f" : "");
    }
    assert_string_equal(weir_text_string(&text), expected);
    weir_text_close(&text);
}

static void assert_refused(struct bench *bench, const char *expected)
{
    assert_true(plan(bench) < 0);
    assert_string_equal(bench->error.text, expected);
    assert_int_equal(bench->error.exit, WEIR_EXIT_USAGE);
}

/* ---- what the launcher gave ---- */

static void ranks_keep_to_what_their_launcher_gave_them(void **state)
{
    static const struct {
        const char *host;
        enum weir_pin_policy policy;
        const char *given[4];
        const char *bindings;
    } cases[] = {
        /* each bound to a core of its own, in another order */
        {"pack:2 core:2 pu:1", WEIR_PIN_CORE, {"3", "2", "1", "0"}, "3|2|1|0"},
        /* bound to packages, by turns */
        {"pack:2 core:2 pu:1", WEIR_PIN_CORE, {"0-1", "2-3", "0-1", "2-3"}, "0|2|1|3"},
        {"pack:2 core:2 pu:1", WEIR_PIN_CORE, {"0-1", "0-1", "0-1", "2"}, "0s|1|0s|2"},
        {"pack:2 core:2 pu:1", WEIR_PIN_PACKAGE, {"0", "1", "2", "2-3"}, "0n|1n|2n|2-3"},
        {"pack:2 core:2 pu:1", WEIR_PIN_NUMA, {"0-1", "2-3", "0", "3"}, "0-1n|2-3n|0n|3n"},
        {"pack:1 core:2 pu:2", WEIR_PIN_CORE, {"0", "2-3", "1", "0-3"}, "0sn|2-3s|1sn|2-3s"},
        {"pack:1 core:2 pu:2", WEIR_PIN_PU, {"0", "2-3", "1", "0-3"}, "0|2|1|3"},
        /* the first takes what the second needs: it is not sent away again */
        {"pack:1 core:2 pu:1", WEIR_PIN_CORE, {"0-1", "0", "1", "1"}, "0s|0s|1s|1s"},
        {"pack:2 core:2 pu:1", WEIR_PIN_NONE, {"0-1", "2", "2", "0-3"}, "0-1|2|2|0-3"},
        /* what the topology does not have is not given */
        {"pack:1 core:2 pu:1", WEIR_PIN_CORE, {"0-7", "0-7", "1-7", "0,7"}, "0s|1s|1s|0s"},
        /* a control group, not the launcher: nothing was narrowed */
        {HOST("three-allowed"), WEIR_PIN_PACKAGE, {"2-4", "2-4", "3-4", "2-4"}, "2-3s|4|3n|2-3s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *bench = bench_open(cases[i].host, cases[i].policy, 4);

        for (unsigned rank = 0; rank < 4; rank++)
            give(bench, rank, cases[i].given[rank]);
        assert_bindings(bench, cases[i].bindings);
        bench_close(bench);
    }
}

static void a_rank_without_a_processor_of_the_topology_is_refused(void **state)
{
    struct bench *bench = bench_open("pack:1 core:2 pu:1", WEIR_PIN_CORE, 2);

    (void)state;
    give(bench, 1, "64-127");
    bench->ranks[1] = 17;
    assert_refused(bench,
                   "--pin: rank 17 may run on processors 64-127, but those of this topology are "
                   "0-1: use --pin none, or the topology of the host that the rank is on");
    bench->pinning.policy = WEIR_PIN_NONE;
    assert_bindings(bench, "0-1|64-127");
    bench_close(bench);
}

static void no_ranks_need_no_bindings(void **state)
{
    (void)state;
    for (int policy = WEIR_PIN_NONE; policy <= WEIR_PIN_PACKAGE; policy++) {
        struct bench *bench = bench_open("pack:1 core:2 pu:1", (enum weir_pin_policy)policy, 0);

        assert_bindings(bench, "");
        bench_close(bench);
    }
}

/* ---- lists ---- */

static void a_list_is_dealt_in_the_order_of_its_text(void **state)
{
    static const struct {
        const char *list;
        const char *bindings;
    } cases[] = {
        {"3,0-2", "3s|0|1|2|3s"},  {"7", "7s|7s|7s|7s|7s"},     {"0-7", "0|1|2|3|4"},
        {"5,5", "5s|5s|5s|5s|5s"}, {"1,0,1", "1s|0s|1s|1s|0s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *bench = bench_open("pack:2 core:4 pu:1", WEIR_PIN_LIST, 5);

        bench->pinning.list = cases[i].list;
        assert_bindings(bench, cases[i].bindings);
        bench_close(bench);
    }
}

static void a_list_that_cannot_be_followed_is_refused(void **state)
{
    static const struct {
        const char *list;
        const char *given; /* to rank 1 */
        const char *text;
    } cases[] = {
        {"0-3,9", "0-7",
         "--pin list: the list names processors 9, but those of this host are 0-7: name some of "
         "these"},
        {"2,6", "0-3",
         "--pin list: rank 1 is to have processors 6, but control groups leave this job only 2-4: "
         "name some of these"},
        {"2,4", "2-3",
         "--pin list: rank 1 is to have processors 4, but it was started on 2-3: name some of "
         "these, or start ranks unbound (mpiexec --bind-to none, srun --cpu-bind=none, no "
         "taskset)"},
        {"5000", "0-7", "--pin list: processors are numbered up to 4095 here"},
        {"2,", "0-7", "--pin list: a list is numbers and ranges of processors, as in list:0-3,8"},
        {NULL, "0-7", "--pin list: a list is numbers and ranges of processors, as in list:0-3,8"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *bench = bench_open(HOST("three-allowed"), WEIR_PIN_LIST, 2);

        bench->pinning.list = cases[i].list;
        give(bench, 1, cases[i].given);
        assert_refused(bench, cases[i].text);
        bench_close(bench);
    }
}

/* ---- rankfiles ---- */

static void rankfiles_are_followed(void **state)
{
    static const struct {
        const char *host;
        const char *text;
        const char *bindings;
    } cases[] = {
        {NULL, "0 1\n1 0,2-3\n", "1|0,2-3"},
        {NULL, "1 0\n0 1", "1|0"},
        {NULL, "# all\n\n  0\t 1 # one\r\n\t1 2\n", "1|2"},
        {NULL, "0 2\n1 2\n", "2s|2s"},
        {NULL, "0 2-3\n1 2-3\n", "2-3|2-3"},
        {NULL, "0 0\n1 1\n2 900\n", "0|1"}, /* ranks of other nodes have other processors */
        {"n1", "rank 0=n1 slot=1\nrank 1=n1 slot=2-3\n", "1|2-3"},
        {"n1", "rank 1 = N1.cluster slot = 3\nrank  0=n1.cluster   slot= 2\n", "2|3"},
        {"n1.cluster", "rank 0=n1 slot=1\nrank 1=n1.cluster slot=2", "1|2"},
        {"n1", "rank 0=n1 slot=1\nrank 1=n1 slot=2\nrank 2=n10 slot=1\nrank 3=n2 slot=77", "1|2"},
        {"n1", "0 1\n1 2\n", "1|2"},
        {NULL, "rank 0=here slot=1\nrank 1=there slot=2\n", "1|2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *bench = bench_open("pack:2 core:2 pu:1", WEIR_PIN_RANKFILE, 2);

        bench->pinning.rankfile_path = "rf";
        bench->request.rankfile = cases[i].text;
        bench->request.host = cases[i].host;
        assert_bindings(bench, cases[i].bindings);
        bench_close(bench);
    }
}

static void rankfiles_know_ranks_by_their_number_in_the_job(void **state)
{
    struct bench *bench = bench_open("pack:2 core:2 pu:1", WEIR_PIN_RANKFILE, 2);

    (void)state;
    bench->pinning.rankfile_path = "rf";
    bench->request.rankfile = "0 0\n40 1\n41 2\n7 3\n";
    bench->ranks[0] = 7;
    bench->ranks[1] = 40;
    assert_bindings(bench, "3|1");
    bench->request.ranks = NULL;
    bench->request.rank_count = 1;
    assert_bindings(bench, "0");
    bench_close(bench);
}

static void rankfiles_that_cannot_be_followed_are_refused_with_their_line(void **state)
{
#define FORMS                                                                                      \
    "a line is a rank and its processors, as in \"3 0-3,8\", or \"rank 3=HOST slot=0-3,8\""
#define SLOTS "a line that begins with \"rank\" is \"rank 3=HOST slot=0-3,8\""
#define SOCKETS                                                                                    \
    "sockets and cores are not understood here: give the numbers of processors, as in slot=0-3,8"
#define NUMBERS "the processors must be numbers and ranges, as in 0-3,8"
    static const struct {
        const char *text;
        const char *error;
    } cases[] = {
        {"0 1\n", "rf: rank 1 has no line: add one, as in \"1 0-3,8\""},
        {"", "rf: rank 0 has no line: add one, as in \"0 0-3,8\""},
        {"0 1\n1 2\n\n0 3\n", "rf:4: rank 0 has a line already, line 1: leave one"},
        {"0 1\n1 2\n9 1\nrank 9=n2 slot=1\n", "rf:4: rank 9 has a line already, line 3: leave one"},
        {"0 1\n1 2-9\n", "rf:2: rank 1 is to have processors 4-9, but those of this host are 0-3: "
                         "name some of these"},
        {"0 1\n1 2-3\n",
         "rf:2: rank 1 is to have processors 3, but it was started on 0-2: name some of these, or "
         "start ranks unbound (mpiexec --bind-to none, srun --cpu-bind=none, no taskset)"},
        {"0 1\nrank 1=n2 slot=1\n",
         "rf:2: rank 1 runs on n1, but its line is for another host: start it there, or change "
         "the line"},
        {"0 1\nrank 1=n10 slot=1\n",
         "rf:2: rank 1 runs on n1, but its line is for another host: start it there, or change "
         "the line"},
        {"0 1\nrank 1=n slot=1\n",
         "rf:2: rank 1 runs on n1, but its line is for another host: start it there, or change "
         "the line"},
        {"rank 0=n1\nslot=1\n", "rf:1: " SLOTS},
        {"0\n", "rf:1: " FORMS},
        {"0 \n", "rf:1: " FORMS},
        {"zero 1\n", "rf:1: " FORMS},
        {"-1 1\n", "rf:1: " FORMS},
        {"1,2\n", "rf:1: " FORMS},
        {"99999999999999999999 1\n", "rf:1: " FORMS},
        {"\n0 one\n", "rf:2: " NUMBERS},
        {"0 1 2\n", "rf:1: " NUMBERS},
        {"0 1-\n", "rf:1: " NUMBERS},
        {"0 5000\n", "rf:1: a number of a processor is too large"},
        {"0 0:1\n", "rf:1: " SOCKETS},
        {"rank 0=n1 slot=1:0-1\n", "rf:1: " SOCKETS},
        {"rank 0=n1 slot=0:*\n", "rf:1: " SOCKETS},
        {"rank 0=n1 slot=1;3\n", "rf:1: " SOCKETS},
        {"rank 0=+n0 slot=1\n",
         "rf:1: hosts by their order (+n0) are not understood: name the host"},
        {"rank 0=n1\n", "rf:1: " SLOTS},
        {"rank 0=n1 slots=1\n", "rf:1: " SLOTS},
        {"rank 0 n1 slot=1\n", "rf:1: " SLOTS},
        {"rank =n1 slot=1\n", "rf:1: " SLOTS},
        {"rank 0= slot=1\n", "rf:1: " SLOTS},
        {"rank 0=n1 slot=\n", "rf:1: " NUMBERS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *bench = bench_open("pack:2 core:2 pu:1", WEIR_PIN_RANKFILE, 2);

        bench->pinning.rankfile_path = "rf";
        bench->request.rankfile = cases[i].text;
        bench->request.host = "n1";
        give(bench, 1, "0-2");
        assert_refused(bench, cases[i].error);
        bench_close(bench);
    }
}

static void a_short_host_name_is_any_long_one_that_begins_with_it(void **state)
{
    struct bench *bench = bench_open("pack:2 core:2 pu:1", WEIR_PIN_RANKFILE, 1);

    (void)state;
    bench->pinning.rankfile_path = "rf";
    bench->request.rankfile = "rank 0=n1.other slot=1\n";
    bench->request.host = "n1";
    assert_bindings(bench, "1");
    bench->request.host = "n1.other";
    assert_bindings(bench, "1");
    bench->request.host = "n1.cluster";
    assert_refused(bench, "rf:1: rank 0 runs on n1.cluster, but its line is for another host: "
                          "start it there, or change the line");
    bench_close(bench);
}

/* ---- devices ---- */

static void devices_that_nothing_locates_are_refused(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const lost[] = {"dm-0", "sda", NULL};
    static const char nowhere[] = "--pin storage: nothing tells which processors the storage "
                                  "behind the target is near to: use --pin core";
    struct bench *bench = bench_open(HOST("hca"), WEIR_PIN_STORAGE, 2);

    (void)state;
    assert_refused(bench, nowhere);
    bench->request.devices = none;
    assert_refused(bench, nowhere);
    bench->request.devices = lost;
    assert_refused(bench, nowhere);
    bench_close(bench);
}

static void one_device_of_several_is_enough(void **state)
{
    static const char *const devices[] = {"dm-0", "sda", "nvme1n1p1", "zram0", NULL};
    struct bench *bench = bench_open(HOST("hca"), WEIR_PIN_STORAGE, 5);

    (void)state;
    bench->request.devices = devices;
    assert_bindings(bench, "4,12|5,13|6,14|7,15|0,8f");
    bench_close(bench);
}

static void cores_near_to_any_of_the_devices_come_next(void **state)
{
    static const char *const devices[] = {"nvme0n1", "nvme2n1", NULL};
    struct bench *bench = bench_open(HOST("ring"), WEIR_PIN_STORAGE, 8);

    (void)state;
    bench->request.devices = devices;
    assert_bindings(bench, "0|1|6|7|2f|3f|4f|5f");
    bench_close(bench);
}

static void network_devices_are_taken_by_name_or_by_themselves(void **state)
{
    static const struct {
        const char *host;
        const char *nic;
        const char *bindings; /* NULL: refused */
        const char *text;
    } cases[] = {
        {HOST("hca"), NULL, "4,12|5,13", NULL},
        {HOST("hca"), "mlx5_0/1", "4,12|5,13", NULL},
        {HOST("hca"), "eth0", "0,8|1,9", NULL},
        {HOST("hca"), "mlx5_9", NULL,
         "--nic: this host has no network device mlx5_9; those with hardware behind them are eth0, "
         "ib0, mlx5_0, eth1"},
        {HOST("hca"), "nvme0n1", NULL,
         "--nic: this host has no network device nvme0n1; those with hardware behind them are "
         "eth0, ib0, mlx5_0, eth1"},
        {HOST("hca"), "eth1", NULL,
         "--pin nic: nothing tells which processors eth1 is near to: use --pin core"},
        {HOST("vm"), NULL, NULL,
         "--pin nic: this host has no network device with hardware behind it: use --pin core"},
        {HOST("vm"), "eth0", NULL,
         "--pin nic: this host has no network device with hardware behind it: use --pin core"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *bench = bench_open(cases[i].host, WEIR_PIN_NIC, 2);

        bench->pinning.nic = cases[i].nic;
        if (cases[i].bindings != NULL)
            assert_bindings(bench, cases[i].bindings);
        else
            assert_refused(bench, cases[i].text);
        bench_close(bench);
    }
}

/* ---- on any host ---- */

struct any_host {
    unsigned packages, nodes, cores, threads;
    struct weir_cpu_set given; /* at least one processor */
};

static struct any_host pick_host(uint64_t round)
{
    struct any_host host = {
        .packages = 1 + (unsigned)(weir_random_at(round, 0) % 3),
        .nodes = 1 + (unsigned)(weir_random_at(round, 1) % 3),
        .cores = 1 + (unsigned)(weir_random_at(round, 2) % 5),
        .threads = 1 + (unsigned)(weir_random_at(round, 3) % 3),
    };
    unsigned count = host.packages * host.nodes * host.cores * host.threads;

    for (unsigned cpu = 0; cpu < count; cpu++)
        if (round % 2 == 0 || weir_random_at(round, 10 + cpu) % 3 > 0)
            weir_cpu_set_add(&host.given, cpu);
    weir_cpu_set_add(&host.given, (unsigned)(weir_random_at(round, 4) % count));
    return host;
}

static struct bench *open_any(const struct any_host *host, unsigned count)
{
    struct bench *bench;
    char text[80];

    snprintf(text, sizeof text, "pack:%u numa:%u core:%u pu:%u", host->packages, host->nodes,
             host->cores, host->threads);
    bench = bench_open(text, WEIR_PIN_CORE, count);
    for (unsigned i = 0; i < RANKS_MAX; i++)
        bench->given[i] = host->given;
    return bench;
}

static void assert_no_core_is_in_two_bindings(const struct bench *bench)
{
    for (unsigned i = 0; i < bench->request.rank_count; i++)
        for (unsigned j = 0; j < i; j++) {
            struct weir_cpu_set common =
                weir_cpu_set_and(&bench->bindings[i].cores, &bench->bindings[j].cores);

            assert_true(weir_cpu_set_is_empty(&common));
        }
}

static void assert_bindings_are_sound(const struct bench *bench)
{
    for (unsigned i = 0; i < bench->request.rank_count; i++) {
        const struct weir_binding *binding = &bench->bindings[i];
        struct weir_cpu_set cores = weir_topology_cores(bench->topology, &binding->cpus);

        assert_false(weir_cpu_set_is_empty(&binding->cpus));
        assert_true(weir_cpu_set_is_within(&binding->cpus, &bench->given[i]));
        assert_true(weir_cpu_set_equals(&cores, &binding->cores));
        assert_int_equal(binding->numa_nodes,
                         weir_topology_numa_nodes(bench->topology, &binding->cpus));
    }
}

static bool any_is_shared(const struct bench *bench)
{
    for (unsigned i = 0; i < bench->request.rank_count; i++)
        if (bench->bindings[i].is_shared)
            return true;
    return false;
}

static struct weir_cpu_set all_bindings(const struct bench *bench)
{
    struct weir_cpu_set all = {0};

    for (unsigned i = 0; i < bench->request.rank_count; i++)
        all = weir_cpu_set_or(&all, &bench->bindings[i].cpus);
    return all;
}

static void a_binding_on_any_host_is_sound_and_a_core_is_not_shared_without_need(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        struct any_host host = pick_host(round);
        struct bench *bench = open_any(&host, 0);
        struct weir_cpu_set cores = weir_topology_cores(bench->topology, &host.given);
        unsigned core_count = weir_cpu_set_count(&cores);

        for (unsigned count = 1; count <= core_count + 1; count++)
            for (int policy = WEIR_PIN_CORE; policy <= WEIR_PIN_PACKAGE; policy++)
                for (int order = WEIR_PIN_ORDER_STANDARD; order <= WEIR_PIN_SCATTER; order++) {
                    bench->request.rank_count = count;
                    bench->pinning.policy = (enum weir_pin_policy)policy;
                    bench->pinning.order = (enum weir_pin_order)order;
                    assert_int_equal(plan(bench), 0);
                    assert_bindings_are_sound(bench);
                    if (policy == WEIR_PIN_CORE && count <= core_count)
                        assert_no_core_is_in_two_bindings(bench);
                    if (policy != WEIR_PIN_PU)
                        assert_int_equal(any_is_shared(bench), count > core_count);
                    if (policy != WEIR_PIN_PU && count == core_count) {
                        struct weir_cpu_set all = all_bindings(bench);

                        assert_true(weir_cpu_set_equals(&all, &host.given));
                    }
                }
        bench_close(bench);
    }
}

/* Ranks on the cores of the node, and how many usable cores it has. */
static void count_node(const struct bench *bench, const struct weir_cpu_set *given, unsigned node,
                       unsigned *ranks, unsigned *cores)
{
    struct weir_cpu_set all_cores = weir_topology_cores(bench->topology, given);

    *ranks = 0;
    *cores = 0;
    for (unsigned i = 0; i < bench->request.rank_count; i++)
        *ranks += bench->bindings[i].numa_nodes == UINT64_C(1) << node;
    for (unsigned cpu = weir_cpu_set_next(&all_cores, 0); cpu < WEIR_CPUS_MAX;
         cpu = weir_cpu_set_next(&all_cores, cpu + 1)) {
        struct weir_processor_place place;

        assert_true(weir_topology_place(bench->topology, cpu, &place));
        *cores += place.numa_node == node;
    }
}

static void in_turn_no_node_has_two_ranks_more_than_one_that_is_not_full(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        struct any_host host = pick_host(round);
        struct bench *bench = open_any(&host, 1 + (unsigned)(weir_random_at(round, 5) % 9));
        struct weir_cpu_set cores = weir_topology_cores(bench->topology, &host.given);

        if (bench->request.rank_count > weir_cpu_set_count(&cores))
            bench->request.rank_count = weir_cpu_set_count(&cores);
        bench->pinning.policy = WEIR_PIN_NUMA;
        assert_int_equal(plan(bench), 0);
        for (unsigned a = 0; a < host.packages * host.nodes; a++)
            for (unsigned b = 0; b < host.packages * host.nodes; b++) {
                unsigned a_ranks, a_cores, b_ranks, b_cores;

                count_node(bench, &host.given, a, &a_ranks, &a_cores);
                count_node(bench, &host.given, b, &b_ranks, &b_cores);
                assert_true(a_ranks <= a_cores);
                assert_true(a_ranks <= b_ranks + 1 || b_ranks == b_cores);
            }
        bench_close(bench);
    }
}

/* ---- the picture ---- */

static void draw(struct bench *bench, struct weir_text *text)
{
    weir_text_clear(text);
    assert_int_equal(plan(bench), 0);
    weir_bindings_draw(text, bench->topology, &bench->request, bench->bindings);
}

static void a_picture_tells_of_ranks_by_their_number_in_the_job(void **state)
{
    struct bench *bench = bench_open("pack:1 core:4 pu:1", WEIR_PIN_CORE, 4);
    struct weir_text text = {0};

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        bench->ranks[i] = 10 * i + 3;
    give(bench, 0, "0-1");
    draw(bench, &text);
    assert_string_equal(
        weir_text_string(&text),
        "1 package, 1 NUMA node, 4 cores, 4 processors\n"
        "--pin core (compact): 4 ranks, of different processors that each was given\n"
        "package 0, NUMA node 0: 4 cores, processors 0-3\n"
        "  ranks 3 13 ... 33         processors 0 ... 3              cores 0 ... 3\n");
    weir_text_close(&text);
    bench_close(bench);
}

static void a_picture_without_ranks_is_the_host(void **state)
{
    struct bench *bench = bench_open(HOST("hca"), WEIR_PIN_STORAGE, 0);
    struct weir_text text = {0};

    (void)state;
    weir_bindings_draw(&text, bench->topology, &bench->request, bench->bindings);
    assert_string_equal(
        weir_text_string(&text),
        "2 packages, 2 NUMA nodes, 8 cores, 16 processors\n"
        "package 0, NUMA node 0: 4 cores, processors 0-3,8-11; near: nvme0n1, eth0\n"
        "package 1, NUMA node 1: 4 cores, processors 4-7,12-15; near: ib0, mlx5_0, nvme1n1\n"
        "attached to no NUMA node: sda, eth1\n");
    weir_text_close(&text);
    bench_close(bench);
}

/* Six ranks differ in nothing but what `change` does to the last three: these are not told together
 * with the first ones. */
static void assert_run_of_three(void (*change)(struct weir_binding *binding))
{
    struct bench *bench = bench_open("pack:1 numa:2 core:3 pu:1", WEIR_PIN_LIST, 6);
    struct weir_text text = {0};

    bench->pinning.list = "0-5";
    assert_int_equal(plan(bench), 0);
    for (unsigned i = 0; i < 6; i++) {
        bench->bindings[i].cpus = bench->given[0]; /* on both nodes */
        bench->bindings[i].numa_nodes = 3;
        if (i >= 3 && change != NULL)
            change(&bench->bindings[i]);
    }
    for (unsigned i = 0; i < 6; i++)
        bench->bindings[i].cores = bench->bindings[0].cores;
    weir_bindings_draw(&text, bench->topology, &bench->request, bench->bindings);
    assert_non_null(
        strstr(weir_text_string(&text), change != NULL ? "\n  ranks 0-2 " : "\n  ranks 0-5 "));
    weir_text_close(&text);
    bench_close(bench);
}

static void share(struct weir_binding *binding)
{
    binding->is_shared = true;
}

static void narrow(struct weir_binding *binding)
{
    binding->is_narrowed = true;
}

static void put_far(struct weir_binding *binding)
{
    binding->is_far = true;
}

static void change_nodes(struct weir_binding *binding)
{
    binding->numa_nodes = 7;
}

static void ranks_are_told_in_one_line_only_if_the_same_is_to_be_said_of_them(void **state)
{
    (void)state;
    assert_run_of_three(NULL);
    assert_run_of_three(share);
    assert_run_of_three(narrow);
    assert_run_of_three(put_far);
    assert_run_of_three(change_nodes);
}

static void numbers_that_go_on_regularly_are_cut_short(void **state)
{
    static const struct {
        const char *given;
        const char *drawn;
    } cases[] = {
        {"0,2,4", "of processors 0,2,4\n"},
        {"0,2,4,6", "of processors 0,2..6\n"},
        {"0-1,3,5,7,9", "of processors 0-1,3,5..9\n"},
        {"0,2-4", "of processors 0,2-4\n"},
        {"0,5,10-12", "of processors 0,5,10-12\n"},
        {"7", "of processor 7\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *bench = bench_open("pack:1 core:16 pu:1", WEIR_PIN_CORE, 1);
        struct weir_text text = {0};

        give(bench, 0, cases[i].given);
        draw(bench, &text);
        assert_non_null(strstr(weir_text_string(&text), cases[i].drawn));
        weir_text_close(&text);
        bench_close(bench);
    }
}

static void a_picture_of_256_cores_fits_on_a_screen(void **state)
{
    static const char host[] = "pack:2 numa:4 core:32 pu:1";
    struct weir_text text = {0};

    (void)state;
    for (int policy = WEIR_PIN_NONE; policy <= WEIR_PIN_PACKAGE; policy++)
        for (int order = WEIR_PIN_COMPACT; order <= WEIR_PIN_SCATTER; order++) {
            struct bench *bench = bench_open(host, (enum weir_pin_policy)policy, 256);
            unsigned lines = 0;

            bench->pinning.order = (enum weir_pin_order)order;
            draw(bench, &text);
            for (const char *at = weir_text_string(&text); *at != '\0'; at++)
                lines += *at == '\n';
            assert_in_range(lines, 11, 24);
            bench_close(bench);
        }
    weir_text_close(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_keep_to_what_their_launcher_gave_them),
        cmocka_unit_test(a_rank_without_a_processor_of_the_topology_is_refused),
        cmocka_unit_test(no_ranks_need_no_bindings),
        cmocka_unit_test(a_list_is_dealt_in_the_order_of_its_text),
        cmocka_unit_test(a_list_that_cannot_be_followed_is_refused),
        cmocka_unit_test(rankfiles_are_followed),
        cmocka_unit_test(rankfiles_know_ranks_by_their_number_in_the_job),
        cmocka_unit_test(rankfiles_that_cannot_be_followed_are_refused_with_their_line),
        cmocka_unit_test(a_short_host_name_is_any_long_one_that_begins_with_it),
        cmocka_unit_test(devices_that_nothing_locates_are_refused),
        cmocka_unit_test(one_device_of_several_is_enough),
        cmocka_unit_test(cores_near_to_any_of_the_devices_come_next),
        cmocka_unit_test(network_devices_are_taken_by_name_or_by_themselves),
        cmocka_unit_test(a_binding_on_any_host_is_sound_and_a_core_is_not_shared_without_need),
        cmocka_unit_test(in_turn_no_node_has_two_ranks_more_than_one_that_is_not_full),
        cmocka_unit_test(a_picture_tells_of_ranks_by_their_number_in_the_job),
        cmocka_unit_test(a_picture_without_ranks_is_the_host),
        cmocka_unit_test(ranks_are_told_in_one_line_only_if_the_same_is_to_be_said_of_them),
        cmocka_unit_test(numbers_that_go_on_regularly_are_cut_short),
        cmocka_unit_test(a_picture_of_256_cores_fits_on_a_screen),
    };

    unsetenv("HWLOC_THISSYSTEM");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
