/* SPDX-License-Identifier: Apache-2.0 */
/* What our block and the result file tell of nodes and places, of few of them and of many. */
#include "report_cases.h"

#include <jansson.h>
#include <time.h>

static unsigned count_lines(const char *text)
{
    unsigned count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;

    while (*text) {
        size_t length = strcspn(text, "\n");

        longest = length > longest ? length : longest;
        text += length + (text[length] == '\n');
    }
    return longest;
}

/* Lines in the order of the block, each of which must be there. */
static void assert_block(struct scene *scene, const char *const lines[], size_t count)
{
    struct weir_text block = {0};
    const char *rest;

    weir_report_trust(&block, scene->plan, scene->result);
    rest = weir_text_string(&block);
    for (size_t i = 0; i < count; i++) {
        const char *line = strstr(rest, lines[i]);

        if (!line)
            fail_msg("\"%s\" is missing in\n%s", lines[i],
                     strstr(weir_text_string(&block), "weir  data in"));
        rest = line + strlen(lines[i]);
    }
    weir_text_close(&block);
}

static void assert_not_in_block(struct scene *scene, const char *words)
{
    struct weir_text block = {0};

    weir_report_trust(&block, scene->plan, scene->result);
    assert_null(strstr(weir_text_string(&block), words));
    weir_text_close(&block);
}

/* ---- thousands of ranks ---- */

#define NODES 64
#define RANKS_PER_NODE 64
#define RANKS (NODES * RANKS_PER_NODE)

static void differ(struct weir_node_facts *facts, struct weir_storage_facts *storage, unsigned i)
{
    snprintf(facts->kernel, sizeof facts->kernel, "Linux 6.1.0-%u-amd64 x86_64", i);
    facts->memory_bytes += i * GIB;
    facts->nics[0].bits_per_s += i;
    snprintf(storage->source, sizeof storage->source, "/dev/mapper/vg%u-scratch", i);
    storage->devices[2].bytes += i;
}

/* All alike but for what `are_different` says. */
static void set_environment(struct scene *scene, const char *const *hosts, bool are_different)
{
    struct weir_node_facts *nodes = calloc(NODES, sizeof *nodes);
    struct weir_storage_facts *storages = calloc(NODES, sizeof *storages);

    for (unsigned i = 0; i < NODES; i++) {
        nodes[i] = scene_node_facts();
        storages[i] = scene_volume_facts();
        if (are_different)
            differ(&nodes[i], &storages[i], i);
    }
    weir_result_set_nodes(scene->result, hosts, nodes, NODES);
    weir_result_set_storages(scene->result, &scene->result->tests[0], hosts, storages, NODES);
    free(nodes);
    free(storages);
}

static void set_places(struct scene *scene, struct weir_phase_result *done,
                       const char *const *hosts, bool are_different)
{
    struct weir_execution *executions = calloc(RANKS, sizeof *executions);
    struct weir_placed_rank *placed = calloc(RANKS, sizeof *placed);
    const char **host_of_rank = calloc(RANKS, sizeof *host_of_rank);

    for (unsigned i = 0; i < RANKS; i++) {
        unsigned node = i / RANKS_PER_NODE;
        unsigned cpu = i % RANKS_PER_NODE + (are_different ? node : 0);

        executions[i] = scene_quiet;
        executions[i].is_known = true;
        executions[i].preemptions = i;
        weir_cpu_set_add(&executions[i].cpus, cpu);
        weir_cpu_set_add(&executions[i].cpus, cpu + 128);
        weir_cpu_set_add(&executions[i].cores, cpu);
        executions[i].cpu_nodes = executions[i].wanted_nodes = executions[i].page_nodes =
            UINT64_C(1) << cpu / 32 % 4;
        placed[i] = (struct weir_placed_rank){node, &executions[i], 7000000 + i};
        host_of_rank[i] = hosts[node];
    }
    weir_places_derive(&scene->result->arena, placed, RANKS, host_of_rank, NODES,
                       &done->node_places, &done->rank_places);
    free(executions);
    free(placed);
    free(host_of_rank);
}

static struct scene make_thousands(bool are_different)
{
    static char names[NODES][16];
    const char *hosts[NODES];
    struct scene scene = SCENE_OPEN("ior", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, RANKS, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_phase *phases[] = {
        scene_phase(&scene, test, WEIR_WRITE, target, small_layout),
        scene_phase(&scene, test, WEIR_READ, target, small_layout),
    };

    for (unsigned i = 0; i < NODES; i++) {
        snprintf(names[i], sizeof names[i], "node%03u", i + 1);
        hosts[i] = names[i];
    }
    scene.result->tests[0].node_count = NODES;
    scene.result->tests[0].ranks_per_node = RANKS_PER_NODE;
    set_environment(&scene, hosts, are_different);
    scene_job(&scene);
    for (unsigned i = 0; i < 2; i++) {
        struct scene_row row = usual_row;
        struct weir_phase_result *done;

        row.bytes = RANKS * 4 * MIB;
        done = scene_done(&scene, test, phases[i], 0, row);
        set_places(&scene, done, hosts, are_different);
        done->node_memory_bytes = 256 * GIB;
        done->traffic = (struct weir_traffic){.has_devices = true,
                                              .has_network = true,
                                              .device_read_bytes = MIB,
                                              .device_written_bytes = 16 * GIB,
                                              .network_received_bytes = MIB,
                                              .network_sent_bytes = MIB};
        done->residency = (struct weir_residency_result){16 * GIB, GIB, RANKS};
        weir_audit_phase(scene.plan, &(struct weir_test_result){0}, done);
    }
    return scene;
}

static size_t size_of(const json_t *record, const char *key)
{
    char *text = json_dumps(json_object_get(record, key), JSON_COMPACT | JSON_ENCODE_ANY);
    size_t size;

    assert_non_null(text);
    size = strlen(text);
    free(text);
    return size;
}

/* Bytes of all that the result file holds of nodes, storage and places. */
static size_t environment_bytes(const struct scene *scene)
{
    struct weir_text text = {0};
    size_t sum = 0;

    record_whole(&text, scene);
    for (char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        json_t *record = json_loadb(line, (size_t)(end - line), 0, NULL);

        assert_non_null(record);
        for (size_t i = 0; i < 4; i++) {
            static const char *const keys[] = {"environment", "job", "storage", "placement"};

            if (json_object_get(record, keys[i]))
                sum += size_of(record, keys[i]);
        }
        json_decref(record);
    }
    weir_text_close(&text);
    return sum;
}

static void thousands_of_ranks_are_told_in_short(void **state)
{
    (void)state;
    for (unsigned are_different = 0; are_different < 2; are_different++) {
        struct scene scene = make_thousands(are_different);
        struct weir_text text = {0};
        size_t bytes = environment_bytes(&scene);
        unsigned lines;

        report_as(&text, &scene, "ior");
        lines = count_lines(weir_text_string(&text));
        print_message("%u ranks on %u nodes that are %s: environment, storage and places of two "
                      "phases %zu bytes of JSON, report %u lines\n",
                      RANKS, NODES, are_different ? "all different" : "all alike", bytes, lines);
        assert_in_range(bytes, 1, 200 * KIB - 1);
        assert_in_range(lines, 10, 119);
        *strstr(text.data, "weir  what to know") = '\0';
        assert_in_range(longest_line(strstr(text.data, "weir  data in MiB")), 10, 160);
        weir_text_close(&text);
        scene_close(&scene);
    }
}

static void alike_nodes_have_one_line_and_others_are_counted(void **state)
{
    static const char *const alike[] = {
        ("weir       0    64    64 0-63,128-191         0-1     0-1           50%          256"
         "  4032-520128  node[001-064], by --pin\nweir\nweir  environment\n"),
        "weir    node[001-064] (64 nodes): Debian",
        "weir    storage: /scratch, xfs of /dev/mapper/vg-scratch, dm-0 (4 TiB) on nvme0n1p1\n",
    };
    static const char *const different[] = {
        "  node001, by --pin\n",
        ("  node012, by --pin\n"
         "weir    and 52 more nodes alike to none of these: --result keeps them all\n"),
        "weir    node001: Debian",
        "weir    node003: Debian",
        "weir    and 61 more kinds of nodes: --result keeps them all\n",
        "weir    storage on node001: /scratch, xfs of /dev/mapper/vg0-scratch",
        "weir    storage on node003: /scratch, xfs of /dev/mapper/vg2-scratch",
        "weir    and 61 more kinds of storage: --result keeps them all\n",
    };
    struct scene scene = make_thousands(false);

    (void)state;
    assert_block(&scene, alike, sizeof alike / sizeof *alike);
    scene_close(&scene);
    scene = make_thousands(true);
    assert_block(&scene, different, sizeof different / sizeof *different);
    scene_close(&scene);
}

/* ---- columns ---- */

static void columns_that_nobody_knows_are_left_out(void **state)
{
    static const char *const all[] = {
        "phase         moved       cached    dev. read dev. written     received         sent"
        "   files/node    of memory\n"
        "weir       0    0 write         16.00            -         0.50         0.00         1.00"
        "        17.00         8.00         0.0%\n"
        "weir       0    0 read          16.00        75.0%            -            -         4.00"
        "         1.00         8.00         0.0%\n"};
    static const char *const some[] = {"phase         moved       cached\n"
                                       "weir       0    0 write         16.00            -\n"
                                       "weir       0    0 read          16.00        75.0%\n"};
    struct scene scene = make_places();
    struct weir_phase_result *phases = scene.result->phases;

    (void)state;
    phases[0].traffic.has_devices = true;
    phases[0].traffic.device_read_bytes = MIB / 2;
    assert_block(&scene, all, 1);
    for (unsigned i = 0; i < 2; i++) {
        phases[i].traffic = (struct weir_traffic){0};
        phases[i].node_memory_bytes = 0;
    }
    assert_block(&scene, some, 1);
    phases[1].residency.asked_bytes = 0;
    assert_not_in_block(&scene, "data in MiB");
    scene_close(&scene);
}

/* The network of a node says nothing of its own disks, unless nobody knows where the data are. */
static void networks_are_told_where_data_may_pass_them(void **state)
{
    struct scene scene = make_places();

    (void)state;
    scene.result->tests[0].storages[0].facts.is_network = false;
    assert_not_in_block(&scene, "received");
    scene.result->tests[0].storages[0].facts.may_be_network = true;
    assert_block(&scene, (const char *const[]){"received"}, 1);
    scene.result->tests[0].storages[0].facts.may_be_network = false;
    scene.result->tests[0].storages[0].facts.is_known = false;
    assert_block(&scene, (const char *const[]){"received"}, 1);
    scene_close(&scene);
}

/* In a second test, whose storage is another one. */
static void many_repetitions_are_told_as_one(void **state)
{
    static const char *const lines[] = {
        "weir       0    0 write         16.00            -            -            -",
        "weir       1  all read           8.00        62.5%         4.00         1.00"
        "         8.00         0.0%\n"};
    static const char *const hosts[] = {"n1"};
    struct scene scene = make_places();
    struct weir_test *test = scene_test(&scene, 4, "/mnt/beegfs/f");
    struct weir_phase *read = scene_phase(
        &scene, test, WEIR_READ, scene_target(&scene, "/mnt/beegfs/f", true), small_layout);
    struct weir_storage_facts beegfs = scene_beegfs_facts();

    (void)state;
    scene.result->tests[0].storages[0].facts.is_network = false;
    weir_result_set_storages(scene.result, &scene.result->tests[1], hosts, &beegfs, 1);
    for (unsigned i = 0; i < 4; i++) {
        struct weir_phase_result *done = scene_done(&scene, test, read, i, usual_row);

        done->node_memory_bytes = 256 * GIB;
        done->traffic = scene.result->phases[1].traffic;
        done->residency = (struct weir_residency_result){16 * MIB, i < 2 ? 16 * MIB : 4 * MIB, 4};
    }
    assert_block(&scene, lines, 2);
    scene_close(&scene);
}

/* ---- where ranks ran ---- */

static void long_lists_of_processors_are_cut_and_counted(void **state)
{
    static const char *const lines[] = {"weir       0     2     2 0,2,4,6,8,10... (64) 0 "};
    struct scene scene = make_places();

    (void)state;
    for (unsigned i = 0; i < 128; i += 2)
        for (unsigned j = 0; j < 4; j++) {
            struct weir_cpu_set *cpus = &scene.result->phases[j / 2].node_places[j % 2].cpus;

            if (i == 0)
                *cpus = (struct weir_cpu_set){0};
            weir_cpu_set_add(cpus, i);
        }
    assert_block(&scene, lines, 1);
    scene_close(&scene);
}

static void more_ranks(struct weir_node_places *node)
{
    node->rank_count = 3;
}

static void more_cores(struct weir_node_places *node)
{
    node->core_count = 3;
}

static void other_processors(struct weir_node_places *node)
{
    node->cpus = scene_cpus("4-7");
}

static void another_node_of_processors(struct weir_node_places *node)
{
    node->cpu_nodes = 2;
}

static void another_node_of_pages(struct weir_node_places *node)
{
    node->page_nodes = 2;
}

static void no_pin(struct weir_node_places *node)
{
    node->is_pinned = false;
}

static void nodes_that_differ_in_anything_have_lines_of_their_own(void **state)
{
    static void (*const changes[])(struct weir_node_places *) = {
        more_ranks, more_cores, other_processors, another_node_of_processors, another_node_of_pages,
        no_pin};

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct scene scene = make_places();

        assert_block(&scene, (const char *const[]){"  n[1-2], by --pin\n"}, 1);
        for (unsigned j = 0; j < 2; j++)
            changes[i](&scene.result->phases[j].node_places[1]);
        assert_block(&scene, (const char *const[]){"  n1, by --pin\n", "  n2"}, 2);
        scene_close(&scene);
    }
}

static void what_is_not_known_is_a_dash(void **state)
{
    static const char *const lines[] = {
        "weir       0     2     0 -                    -       -               -            -"
        "            -  n1\n"};
    struct scene scene = make_places();

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct weir_node_places *node = &scene.result->phases[i].node_places[0];

        *node = (struct weir_node_places){
            .host = "n1", .rank_count = 2, .migrations = WEIR_UNKNOWN, .preemptions = WEIR_UNKNOWN};
    }
    assert_block(&scene, lines, 1);
    scene_close(&scene);
}

static void warnings_of_the_placement_are_told_once(void **state)
{
    static const char *const once[] = {"shared-core write: ", "(2 repetitions)\n",
                                       "migrated write 0: ", "migrated write 1: "};
    struct scene scene = make_misplaced();
    struct weir_text block = {0};
    const char *first;

    (void)state;
    assert_block(&scene, once, sizeof once / sizeof *once);
    weir_report_trust(&block, scene.plan, scene.result);
    first = strstr(weir_text_string(&block), "warning oversubscribed ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "warning oversubscribed "));
    weir_text_close(&block);
    scene_close(&scene);
}

/* ---- the environment ---- */

static void storage_is_told_for_tests_where_it_is_another_one(void **state)
{
    static const char *const lines[] = {
        "weir    storage from test 0 on: /mnt/beegfs, beegfs of beegfs_nodev",
        "weir    storage from test 2 on: /scratch, xfs of /dev/mapper/vg-scratch",
        "weir\nweir  what to know\n",
    };
    static const char *const hosts[] = {"n1"};
    struct scene scene = make_places();
    struct weir_storage_facts beegfs = scene_beegfs_facts();
    struct weir_storage_facts volume = scene_volume_facts();

    (void)state;
    scene_test(&scene, 4, "/mnt/beegfs/f");
    scene_test(&scene, 4, "/scratch/f");
    for (unsigned i = 0; i < 3; i++)
        weir_result_set_storages(scene.result, &scene.result->tests[i], hosts,
                                 i < 2 ? &beegfs : &volume, 1);
    assert_block(&scene, lines, sizeof lines / sizeof *lines);
    assert_not_in_block(&scene, "from test 1");
    scene_close(&scene);
}

static void names_of_others_neither_end_lines_nor_make_them_long(void **state)
{
    static const char *const lines[] = {"a?b", "..."};
    struct scene scene = make_places();
    struct weir_fact *job = scene.result->job;
    struct weir_text block = {0};
    char value[1000];

    (void)state;
    value[0] = 'x';
    for (size_t i = 1; i < sizeof value - 2; i += 2)
        memcpy(value + i, "\xc3\xbc", 2);
    value[sizeof value - 1] = '\0';
    job[0].value = "a\nb";
    job[1].value = value;
    assert_block(&scene, lines, 2);
    weir_report_trust(&block, scene.plan, scene.result);
    assert_in_range(longest_line(strstr(block.data, "weir    job:")), 10, 200);
    assert_null(strstr(block.data, "\xc3."));
    weir_text_close(&block);
    scene_close(&scene);
}

static void a_run_that_had_to_end_in_time_says_so(void **state)
{
    static const char *const lines[] = {
        "weir  the run ended before the limit of its batch system; the report"};
    struct scene scene = make_places();

    (void)state;
    scene.result->is_interrupted = scene.result->is_out_of_time = true;
    assert_block(&scene, lines, 1);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_ranks_are_told_in_short),
        cmocka_unit_test(alike_nodes_have_one_line_and_others_are_counted),
        cmocka_unit_test(columns_that_nobody_knows_are_left_out),
        cmocka_unit_test(networks_are_told_where_data_may_pass_them),
        cmocka_unit_test(many_repetitions_are_told_as_one),
        cmocka_unit_test(long_lists_of_processors_are_cut_and_counted),
        cmocka_unit_test(nodes_that_differ_in_anything_have_lines_of_their_own),
        cmocka_unit_test(what_is_not_known_is_a_dash),
        cmocka_unit_test(warnings_of_the_placement_are_told_once),
        cmocka_unit_test(storage_is_told_for_tests_where_it_is_another_one),
        cmocka_unit_test(names_of_others_neither_end_lines_nor_make_them_long),
        cmocka_unit_test(a_run_that_had_to_end_in_time_says_so),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("report_places", tests, NULL, NULL);
}
