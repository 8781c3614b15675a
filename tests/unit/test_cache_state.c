/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a file are asked for, who drops what, and who may. */
#include "engine/cache_state.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define LAYOUT(segments, block, transfer, ...)                                                     \
    {                                                                                              \
        .segment_count = (segments), .block_bytes = (block), .transfer_bytes = (transfer),         \
        __VA_ARGS__                                                                                \
    }

/* ---- which parts ---- */

static void survey(struct weir_cache_survey *survey, struct weir_share *share,
                   const struct weir_layout *layout, const struct weir_share_params *params,
                   uint64_t op_limit)
{
    weir_share_init(share, layout, params);
    weir_cache_survey_init(survey, share, op_limit != 0 ? op_limit : share->op_count,
                           WEIR_SURVEY_PIECE_BYTES, false);
}

struct survey_case {
    struct weir_layout layout; /* segments, block, transfer, order */
    struct weir_share_params params;
    uint64_t op_limit;     /* 0: all */
    uint64_t pieces[4][2]; /* offset and bytes of the first ones */
    uint64_t piece_count;
};

/* A share that is one stretch of the file is one run, whatever its blocks are; else each block is;
 * and long runs are cut. */
static void runs_are_as_long_as_the_share_is_contiguous(void **state)
{
    static const struct survey_case cases[] = {
        /* a file of its own */
        {LAYOUT(1, MIB, 64 * KIB), {.ranks = 4, .owner = 2}, 0, {{0, MIB}}, 1},
        {LAYOUT(3, MIB, 64 * KIB), {.ranks = 4, .owner = 2}, 0, {{0, 3 * MIB}}, 1},
        /* a shared file */
        {LAYOUT(1, MIB, 64 * KIB),
         {.is_shared = true, .ranks = 4, .owner = 2},
         0,
         {{2 * MIB, MIB}},
         1},
        {LAYOUT(3, MIB, 64 * KIB),
         {.is_shared = true, .ranks = 4, .owner = 2},
         0,
         {{2 * MIB, MIB}, {6 * MIB, MIB}, {10 * MIB, MIB}},
         3},
        {LAYOUT(3, MIB, MIB), {.is_shared = true, .ranks = 1, .owner = 0}, 0, {{0, 3 * MIB}}, 1},
        /* one operation for all blocks of a rank */
        {LAYOUT(3, MIB, 64 * KIB, .is_at_once = true),
         {.is_shared = true, .ranks = 4, .owner = 2},
         0,
         {{2 * MIB, MIB}, {6 * MIB, MIB}, {10 * MIB, MIB}},
         3},
        {LAYOUT(3, MIB, 64 * KIB, .is_at_once = true),
         {.ranks = 4, .owner = 2},
         1,
         {{0, 3 * MIB}},
         1},
        /* limits */
        {LAYOUT(3, MIB, 64 * KIB), {.ranks = 1, .owner = 0}, 17, {{0, 17 * 64 * KIB}}, 1},
        {LAYOUT(3, MIB, 64 * KIB),
         {.is_shared = true, .ranks = 4, .owner = 0},
         17,
         {{0, MIB}, {4 * MIB, 64 * KIB}},
         2},
        {LAYOUT(3, MIB, 64 * KIB), {.is_shared = true, .ranks = 4, .owner = 0}, 16, {{0, MIB}}, 1},
        /* long runs */
        {LAYOUT(1, 130 * MIB, MIB),
         {.is_shared = true, .ranks = 2, .owner = 1},
         0,
         {{130 * MIB, 64 * MIB}, {194 * MIB, 64 * MIB}, {258 * MIB, 2 * MIB}},
         3},
        {LAYOUT(2, 65 * MIB, MIB),
         {.is_shared = true, .ranks = 2, .owner = 0},
         66,
         {{0, 64 * MIB}, {64 * MIB, MIB}, {130 * MIB, MIB}, {0, 0}},
         4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_cache_survey all;
        struct weir_share share;

        survey(&all, &share, &cases[i].layout, &cases[i].params, cases[i].op_limit);
        if (all.piece_count != cases[i].piece_count)
            fail_msg("case %zu: %llu pieces", i, (unsigned long long)all.piece_count);
        for (uint64_t piece = 0; piece < all.piece_count; piece++) {
            struct weir_extent extent = weir_cache_survey_piece(&all, piece);

            if (extent.offset != cases[i].pieces[piece][0] ||
                extent.bytes != cases[i].pieces[piece][1])
                fail_msg("case %zu, piece %llu: %llu + %llu", i, (unsigned long long)piece,
                         (unsigned long long)extent.offset, (unsigned long long)extent.bytes);
        }
    }
}

/* Every transfer of the share lies in a piece, and the pieces hold nothing else. */
static void pieces_hold_what_is_read_and_no_more(void **state)
{
    static const struct weir_layout layouts[] = {
        LAYOUT(5, 64 * KIB, 16 * KIB, .order = WEIR_ORDER_SEQUENTIAL),
        LAYOUT(5, 64 * KIB, 16 * KIB, .order = WEIR_ORDER_SHUFFLED),
        LAYOUT(5, 64 * KIB, 16 * KIB, .order = WEIR_ORDER_RANDOM_BLOCKS),
    };

    (void)state;
    for (size_t i = 0; i < 3 * 2 * 2; i++) {
        const struct weir_share_params params = {
            .is_shared = i % 2 != 0, .ranks = 3, .owner = 1, .seed = 42};
        const uint64_t limit = i / 2 % 2 != 0 ? 10 : 20;
        struct weir_cache_survey all;
        struct weir_share share;
        uint64_t bytes = 0;
        unsigned found = 0;

        survey(&all, &share, &layouts[i / 4], &params, limit);
        for (uint64_t piece = 0; piece < all.piece_count; piece++)
            bytes += weir_cache_survey_piece(&all, piece).bytes;
        assert_int_equal(bytes, limit * 16 * KIB);
        assert_int_equal(all.share_bytes, bytes);
        for (uint64_t op = 0; op < limit; op++) {
            uint64_t offset = weir_share_offset(&share, op);
            uint64_t piece = 0;
            struct weir_extent extent = weir_cache_survey_piece(&all, 0);

            while (!(offset >= extent.offset && offset < extent.offset + extent.bytes) &&
                   ++piece < all.piece_count)
                extent = weir_cache_survey_piece(&all, piece);
            found += piece < all.piece_count;
        }
        assert_int_equal(found, limit);
    }
}

static void of_too_many_runs_an_even_choice_is_asked_for(void **state)
{
    const struct weir_layout layout = LAYOUT(1000000, MIB, MIB);
    const struct weir_share_params params = {.is_shared = true, .ranks = 4, .owner = 1};
    struct weir_cache_survey all;
    struct weir_share share;
    uint64_t before = 0;

    (void)state;
    survey(&all, &share, &layout, &params, 0);
    assert_int_equal(all.piece_count, 4096);
    assert_int_equal(all.share_bytes, 1000000 * MIB);
    for (uint64_t i = 0; i < all.piece_count; i++) {
        struct weir_extent piece = weir_cache_survey_piece(&all, i);
        uint64_t segment = piece.offset / (4 * MIB);

        assert_int_equal(piece.bytes, MIB);
        assert_int_equal(piece.offset % (4 * MIB), MIB);
        assert_int_equal(segment, i * 1000000 / 4096);
        assert_true(i == 0 || segment > before);
        before = segment;
    }
}

static void a_share_without_transfers_asks_for_nothing(void **state)
{
    const struct weir_layout layout = LAYOUT(1, MIB, MIB);
    struct weir_cache_survey all;
    struct weir_share share;

    (void)state;
    weir_share_init(&share, &layout, &(struct weir_share_params){.ranks = 1});
    weir_cache_survey_init(&all, &share, 0, WEIR_SURVEY_PIECE_BYTES, false);
    assert_int_equal(all.piece_count, 0);
    assert_int_equal(all.share_bytes, 0);
}

/* ---- who drops, and who may ---- */

/* In the place of src/system/page_cache.c. */
static struct {
    char dropped[4][64];
    unsigned drops;
    unsigned node_drops;
    bool with_names;
    unsigned write_backs; /* before the first file or node was dropped */
    int drop_code;
    bool may_drop_node;
    unsigned question_us; /* that each question takes */
    unsigned questions;
    uint64_t furthest; /* offset that was asked for */
    int open_code;
    unsigned open_probes;
    int map_code;
} kernel;

int weir_cache_drop_file(const char *path)
{
    snprintf(kernel.dropped[kernel.drops++ % 4], sizeof kernel.dropped[0], "%s", path);
    return kernel.drop_code;
}

int weir_cache_drop_clean_file(const char *path)
{
    assert_true(kernel.write_backs > 0);
    return weir_cache_drop_file(path);
}

int weir_cache_write_back(const char *path)
{
    assert_true(strchr(path, ':') == NULL);
    kernel.write_backs += kernel.drops + kernel.node_drops == 0;
    return 0;
}

int weir_cache_drop_node(const char *root, const char *path, bool with_names)
{
    assert_string_equal(root, "");
    kernel.with_names = with_names;
    snprintf(kernel.dropped[0], sizeof kernel.dropped[0], "%s", path);
    kernel.node_drops++;
    return kernel.drop_code;
}

bool weir_cache_may_drop_node(const char *root)
{
    assert_string_equal(root, "");
    return kernel.may_drop_node;
}

int weir_residency_open(const char *path, struct weir_residency_probe **probe)
{
    assert_true(strchr(path, ':') == NULL);
    if (kernel.open_code != 0)
        return kernel.open_code;
    kernel.open_probes++;
    *probe = (void *)&kernel;
    return 0;
}

void weir_residency_close(struct weir_residency_probe *probe)
{
    assert_ptr_equal(probe, &kernel);
    kernel.open_probes--;
}

bool weir_residency_knows_dirty(const struct weir_residency_probe *probe)
{
    assert_ptr_equal(probe, &kernel);
    return true;
}

/* A quarter of whatever is asked for is resident. */
int weir_residency_add(struct weir_residency_probe *probe, struct weir_extent extent,
                       struct weir_residency *sum)
{
    assert_ptr_equal(probe, &kernel);
    kernel.questions++;
    if (extent.offset > kernel.furthest)
        kernel.furthest = extent.offset;
    usleep(kernel.question_us);
    sum->asked_bytes += extent.bytes;
    sum->resident_bytes += extent.bytes / 4;
    return 0;
}

/* Half of whatever is asked for is a hole, and a quarter is compressed. */
int weir_extent_map_add(const struct weir_residency_probe *probe, struct weir_extent extent,
                        struct weir_extent_map *sum)
{
    assert_ptr_equal(probe, &kernel);
    sum->asked_bytes += extent.bytes;
    sum->mapped_bytes += extent.bytes / 2;
    sum->encoded_bytes += extent.bytes / 4;
    return kernel.map_code;
}

static int reduce_alone(struct weir_group *group, uint64_t *values, size_t count,
                        enum weir_reduction reduction)
{
    (void)group;
    (void)values;
    (void)count;
    (void)reduction;
    return 0;
}

static int broadcast_alone(struct weir_group *group, void *data, size_t bytes, int root)
{
    (void)group;
    (void)data;
    (void)bytes;
    (void)root;
    return 0;
}

/* One rank of a job, without any other: agreement is with itself. */
struct scene {
    struct weir_group *self;
    struct weir_group_ops ops;
    struct weir_group group;
    int node_of_rank[4];
    char node_names[2][WEIR_NODE_NAME_BYTES];
    struct weir_clock clock;
    struct weir_plan plan;
    struct weir_engine_params params;
    struct weir_descriptor descriptor;
    struct weir_name_ops names;
    struct weir_backend backend;
    const struct weir_backend *backends[1];
    struct weir_registry registry;
    struct weir_phase *phases[1];
    struct weir_test test;
    const char *path;
    struct weir_target target;
    struct weir_phase phase;
    struct weir_run run;
    struct weir_data_phase data;
    struct weir_error error;
};

static void name(char *place, size_t room, const char *text)
{
    snprintf(place, room, "%s", text);
}

/* Two nodes of two ranks each; rank 2 is the first of the second node, and reads what rank 1
 * wrote. */
static void set_scene(struct scene *scene, int rank)
{
    memset(&kernel, 0, sizeof kernel);
    memset(scene, 0, sizeof *scene);
    assert_int_equal(weir_group_self_open(&scene->self), 0);
    weir_clock_calibrate(&scene->clock, true);
    memcpy(scene->node_of_rank, (int[]){0, 0, 1, 1}, sizeof scene->node_of_rank);
    name(scene->node_names[0], sizeof scene->node_names[0], "n1");
    name(scene->node_names[1], sizeof scene->node_names[1], "n2");
    scene->group = *scene->self;
    scene->ops = *scene->self->ops;
    scene->ops.reduce = reduce_alone;
    scene->ops.broadcast = broadcast_alone;
    scene->group.ops = &scene->ops;
    scene->group.rank = rank;
    scene->group.size = 4;
    scene->group.node = rank / 2;
    scene->group.node_rank = rank % 2;
    scene->group.node_count = 2;
    scene->group.node_of_rank = scene->node_of_rank;
    scene->group.node_names = (const char(*)[WEIR_NODE_NAME_BYTES])scene->node_names;
    scene->test.dialect = "ior";
    scene->params = (struct weir_engine_params){
        .plan = &scene->plan, .registry = &scene->registry, .clock = &scene->clock};
    scene->descriptor =
        (struct weir_descriptor){.name = "posix", .abilities = WEIR_CAN_NAME | WEIR_CAN_KEEP};
    scene->backend.descriptor = (struct weir_descriptor){.name = "posix", .label = "POSIX"};
    scene->backend.names = &scene->names;
    scene->backends[0] = &scene->backend;
    scene->registry = (struct weir_registry){.backends = scene->backends, .count = 1};
    scene->test.backend = &scene->descriptor;
    scene->test.label = "POSIX";
    scene->path = "/scratch/f";
    scene->target = (struct weir_target){.paths = &scene->path, .path_count = 1};
    scene->phase = (struct weir_phase){.verb = WEIR_READ, .target = &scene->target};
    scene->phases[0] = &scene->phase;
    scene->test.phases = scene->phases;
    scene->test.phase_count = 1;
    scene->run = (struct weir_run){.params = &scene->params,
                                   .test = &scene->test,
                                   .group = &scene->group,
                                   .backend = &scene->backend};
    scene->data = (struct weir_data_phase){
        .run = &scene->run, .phase = &scene->phase, .target = &scene->target, .owner = 1};
    name(scene->data.path, sizeof scene->data.path, "/scratch/f.00000001");
    weir_share_init(
        &scene->data.share, &(struct weir_layout)LAYOUT(1, 640 * MIB, MIB),
        &(struct weir_share_params){.is_shared = scene->target.is_shared, .ranks = 4, .owner = 1});
    scene->data.facts.op_limit = 640;
}

static void strike(struct scene *scene)
{
    assert_int_equal(kernel.open_probes, 0);
    weir_group_close(scene->self);
}

static void share_target(struct scene *scene)
{
    scene->target.is_shared = true;
    name(scene->data.path, sizeof scene->data.path, "/scratch/f");
}

static void prepare(struct scene *scene, int code)
{
    assert_int_equal(weir_cache_state_prepare(&scene->data, &scene->error), code);
}

static void nothing_is_dropped_unless_asked_for_and_all_is_measured(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    prepare(&scene, 0);
    assert_int_equal(kernel.drops + kernel.node_drops, 0);
    assert_false(scene.data.facts.has_dropped_caches);
    assert_int_equal(kernel.questions, 10);
    assert_int_equal(scene.data.facts.resident_asked_bytes, 640 * MIB);
    assert_int_equal(scene.data.facts.resident_bytes, 160 * MIB);
    strike(&scene);
}

static void writes_and_backends_without_files_are_left_alone(void **state)
{
    struct scene scene;

    (void)state;
    for (int i = 0; i < 4; i++) {
        set_scene(&scene, 2);
        scene.test.cache_drop = WEIR_DROP_FILES;
        if (i == 0)
            scene.phase.verb = WEIR_WRITE;
        else if (i == 1)
            scene.backend.names = NULL;
        else if (i == 2)
            scene.descriptor.abilities = 0;
        else
            scene.test.is_dry_run = true;
        prepare(&scene, 0);
        assert_int_equal(kernel.drops + kernel.questions, 0);
        assert_int_equal(scene.data.facts.resident_asked_bytes, 0);
        strike(&scene);
    }
}

static void mixed_phases_are_measured_like_reads(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    scene.phase.verb = WEIR_MIXED;
    prepare(&scene, 0);
    assert_int_equal(scene.data.facts.resident_asked_bytes, 640 * MIB);
    strike(&scene);
}

static void a_rank_drops_the_file_that_it_reads_and_the_one_that_it_wrote(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    scene.test.cache_drop = WEIR_DROP_FILES;
    prepare(&scene, 0);
    assert_int_equal(kernel.drops, 2);
    assert_string_equal(kernel.dropped[0], "/scratch/f.00000001");
    assert_string_equal(kernel.dropped[1], "/scratch/f.00000002");
    assert_int_equal(kernel.questions, 10);
    strike(&scene);
    set_scene(&scene, 1);
    scene.test.cache_drop = WEIR_DROP_FILES;
    prepare(&scene, 0);
    assert_int_equal(kernel.drops, 1);
    assert_string_equal(kernel.dropped[0], "/scratch/f.00000001");
    strike(&scene);
}

static void a_shared_file_is_dropped_once_on_each_node(void **state)
{
    static const unsigned drops[4] = {1, 0, 1, 0};
    struct scene scene;

    (void)state;
    for (int rank = 0; rank < 4; rank++) {
        set_scene(&scene, rank);
        share_target(&scene);
        scene.test.cache_drop = WEIR_DROP_FILES;
        prepare(&scene, 0);
        assert_int_equal(kernel.drops, drops[rank]);
        assert_int_equal(kernel.questions, 10);
        strike(&scene);
        set_scene(&scene, rank);
        scene.test.cache_drop = WEIR_DROP_NODE;
        prepare(&scene, 0);
        assert_int_equal(kernel.node_drops, drops[rank]);
        assert_false(kernel.with_names);
        assert_true(scene.data.facts.has_dropped_caches);
        assert_int_equal(kernel.drops, 0);
        assert_int_equal(kernel.questions, 10);
        strike(&scene);
    }
}

static void what_cannot_be_dropped_is_told_and_ends_the_run(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    scene.test.cache_drop = WEIR_DROP_FILES;
    kernel.drop_code = -EIO;
    prepare(&scene, -EIO);
    assert_string_equal(scene.error.text, "ior: --drop-caches files: /scratch/f.00000001 cannot be "
                                          "dropped from the page cache: Input/output error");
    assert_int_equal(kernel.questions, 0);
    strike(&scene);
    set_scene(&scene, 2);
    scene.test.cache_drop = WEIR_DROP_NODE;
    kernel.drop_code = -EIO;
    prepare(&scene, -EIO);
    assert_string_equal(scene.error.text, "ior: --drop-caches node: the caches of host n2 "
                                          "cannot be emptied: Input/output error");
    strike(&scene);
}

static const char *cut_prefix(struct weir_session *session, const char *path)
{
    (void)session;
    return path + strlen("ufs:");
}

static void the_kernel_is_asked_by_the_name_that_it_knows(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    scene.names.kernel_path = cut_prefix;
    share_target(&scene);
    name(scene.data.path, sizeof scene.data.path, "ufs:/scratch/f");
    scene.test.cache_drop = WEIR_DROP_FILES;
    prepare(&scene, 0);
    assert_string_equal(kernel.dropped[0], "/scratch/f");
    assert_int_equal(kernel.questions, 10);
    scene.test.cache_drop = WEIR_DROP_NODE;
    prepare(&scene, 0);
    assert_string_equal(kernel.dropped[0], "/scratch/f");
    strike(&scene);
}

static void where_the_kernel_does_not_tell_nothing_is_known(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    scene.data.facts.resident_asked_bytes = 77;
    kernel.open_code = -EPERM;
    prepare(&scene, 0);
    assert_int_equal(scene.data.facts.resident_asked_bytes, 0);
    strike(&scene);
}

/* A quarter of it is resident, wherever time is up. */
static void asking_ends_in_time_and_the_rest_is_taken_to_be_alike(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    weir_share_init(&scene.data.share, &(struct weir_layout)LAYOUT(1, 100 * GIB, MIB),
                    &(struct weir_share_params){.ranks = 4, .owner = 1});
    scene.data.facts.op_limit = 102400;
    kernel.question_us = 300000;
    prepare(&scene, 0);
    assert_in_range(kernel.questions, 2, 4);
    /* They were not the first pieces. */
    assert_true(kernel.furthest > 10 * GIB);
    assert_int_equal(scene.data.facts.resident_asked_bytes, 100 * GIB);
    assert_int_equal(scene.data.facts.resident_bytes, 25 * GIB);
    strike(&scene);
}

static void a_node_that_must_not_be_emptied_refuses_the_test(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    scene.test.cache_drop = WEIR_DROP_NODE;
    assert_int_equal(weir_cache_state_check(&scene.run, &scene.error), -EPERM);
    assert_int_equal(scene.error.exit, WEIR_EXIT_ENVIRONMENT);
    assert_string_equal(scene.error.text,
                        "ior: --drop-caches node: this process may not write "
                        "/proc/sys/vm/drop_caches on host n2: run as root there (in containers "
                        "/proc/sys is often read-only), or use --drop-caches files");
    strike(&scene);
    /* Others of the node do not do it, so they are not asked. */
    set_scene(&scene, 3);
    scene.test.cache_drop = WEIR_DROP_NODE;
    assert_int_equal(weir_cache_state_check(&scene.run, &scene.error), 0);
    strike(&scene);
    set_scene(&scene, 2);
    scene.test.cache_drop = WEIR_DROP_NODE;
    kernel.may_drop_node = true;
    assert_int_equal(weir_cache_state_check(&scene.run, &scene.error), 0);
    strike(&scene);
}

static void files_may_be_dropped_by_all(void **state)
{
    struct scene scene;

    (void)state;
    set_scene(&scene, 2);
    scene.test.cache_drop = WEIR_DROP_FILES;
    assert_int_equal(weir_cache_state_check(&scene.run, &scene.error), 0);
    scene.test.cache_drop = WEIR_DROP_NODE;
    scene.test.is_dry_run = true;
    assert_int_equal(weir_cache_state_check(&scene.run, &scene.error), 0);
    strike(&scene);
}

/* ---- trees ---- */

static const char *const roots[] = {"/scratch/a", "/scratch/b"};
static const struct weir_tree tree = {.top = "t", .set_count = 1, .items_per_directory = 3};

/* Items of rank 1, whose phase has this verb. */
static bool drop_tree(struct scene *scene, int rank, enum weir_verb verb, enum weir_cache_drop drop)
{
    static struct weir_session session; /* puts no operation on names into a queue */
    struct weir_items items;
    bool has_dropped;

    set_scene(scene, rank);
    scene->run.session = &session;
    scene->target = (struct weir_target){.paths = roots, .path_count = 2, .tree = &tree};
    scene->phase = (struct weir_phase){
        .verb = verb, .target = &scene->target, .names = {.item = "f.%r.%n", .bytes = 100}};
    scene->run.placement = (struct weir_placement){.nodes = 1, .ranks = 4, .ranks_per_node = 4};
    scene->run.queue.depth = 1;
    scene->run.queue.is_blocking = true;
    scene->run.params = &scene->params;
    scene->params.stop_signal = &(volatile sig_atomic_t){0};
    scene->test.cache_drop = drop;
    assert_int_equal(weir_items_init(&items, &scene->run, &scene->phase), 0);
    has_dropped = weir_cache_state_drop_tree(&items, &scene->error);
    weir_items_fini(&items);
    assert_false(weir_error_is_set(&scene->error));
    strike(scene);
    return has_dropped;
}

static void before_all_that_make_nothing_a_node_forgets_names(void **state)
{
    struct scene scene;

    (void)state;
    for (unsigned verb = WEIR_CREATE; verb <= WEIR_CYCLE; verb++) {
        bool makes = verb == WEIR_CREATE || verb == WEIR_MKNOD || verb == WEIR_MKDIR;

        assert_int_equal(drop_tree(&scene, 2, verb, WEIR_DROP_NOTHING), false);
        assert_int_equal(drop_tree(&scene, 2, verb, WEIR_DROP_NODE), !makes);
        assert_int_equal(kernel.node_drops, makes ? 0 : 1);
        assert_int_equal(kernel.with_names, !makes);
        assert_int_equal(kernel.write_backs, makes ? 0 : 2);
        /* All nodes do, by their first ranks. */
        assert_int_equal(drop_tree(&scene, 3, verb, WEIR_DROP_NODE), !makes);
        assert_int_equal(kernel.node_drops, 0);
    }
}

static void files_that_are_read_are_dropped_one_by_one(void **state)
{
    struct scene scene;

    (void)state;
    assert_true(drop_tree(&scene, 2, WEIR_READ_FILE, WEIR_DROP_FILES));
    assert_int_equal(kernel.drops, 3);
    assert_int_equal(kernel.node_drops, 0);
    assert_string_equal(kernel.dropped[0], "/scratch/a/t/f.2.0");
    assert_string_equal(kernel.dropped[2], "/scratch/a/t/f.2.2");
    assert_false(drop_tree(&scene, 2, WEIR_STAT, WEIR_DROP_FILES));
    assert_int_equal(kernel.drops, 0);
}

/* Of 640 MiB that were read by a rank, block devices supplied so many. */
static void conclude(struct scene *scene, uint64_t supplied, bool is_direct, int map_code)
{
    static struct weir_surroundings surroundings;
    static struct weir_session session;
    static struct weir_tally tally;

    set_scene(scene, 2);
    kernel.map_code = map_code;
    surroundings.counts_reads = true;
    session.bypasses_cache = is_direct;
    tally.verbs[WEIR_OP_READ].byte_count = 640 * MIB;
    scene->run.surroundings = &surroundings;
    scene->run.session = &session;
    scene->run.tally = &tally;
    scene->data.loop.furthest = 640;
    scene->data.facts.around.execution.storage_read_bytes = supplied;
    weir_cache_state_conclude(&scene->data);
    strike(scene);
}

static void bytes_that_no_device_supplied_are_looked_for(void **state)
{
    struct scene scene;
    struct weir_data_origin *origin = &scene.data.facts.origin;

    (void)state;
    conclude(&scene, 640 * MIB, false, 0);
    assert_int_equal(kernel.questions, 0);
    conclude(&scene, 100 * MIB, false, 0);
    assert_int_equal(origin->extent_bytes, 640 * MIB);
    assert_int_equal(origin->hole_bytes, 320 * MIB);
    assert_int_equal(origin->encoded_bytes, 160 * MIB);
    assert_int_equal(origin->left_asked_bytes, 0);
    conclude(&scene, WEIR_UNKNOWN, false, 0);
    assert_int_equal(kernel.questions, 0);
    /* Without an extent map nothing proves that a device was to supply them. */
    conclude(&scene, 100 * MIB, false, -EOPNOTSUPP);
    assert_int_equal(origin->extent_bytes, 0);
    assert_int_equal(scene.data.facts.around.execution.storage_read_bytes, WEIR_UNKNOWN);
}

static void pages_that_direct_io_left_are_counted(void **state)
{
    struct scene scene;

    (void)state;
    conclude(&scene, 640 * MIB, true, 0);
    assert_int_equal(scene.data.facts.origin.left_asked_bytes, 640 * MIB);
    assert_int_equal(scene.data.facts.origin.left_bytes, 160 * MIB);
    assert_int_equal(scene.data.facts.origin.extent_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_as_long_as_the_share_is_contiguous),
        cmocka_unit_test(pieces_hold_what_is_read_and_no_more),
        cmocka_unit_test(of_too_many_runs_an_even_choice_is_asked_for),
        cmocka_unit_test(a_share_without_transfers_asks_for_nothing),
        cmocka_unit_test(nothing_is_dropped_unless_asked_for_and_all_is_measured),
        cmocka_unit_test(writes_and_backends_without_files_are_left_alone),
        cmocka_unit_test(mixed_phases_are_measured_like_reads),
        cmocka_unit_test(a_rank_drops_the_file_that_it_reads_and_the_one_that_it_wrote),
        cmocka_unit_test(a_shared_file_is_dropped_once_on_each_node),
        cmocka_unit_test(what_cannot_be_dropped_is_told_and_ends_the_run),
        cmocka_unit_test(the_kernel_is_asked_by_the_name_that_it_knows),
        cmocka_unit_test(where_the_kernel_does_not_tell_nothing_is_known),
        cmocka_unit_test(asking_ends_in_time_and_the_rest_is_taken_to_be_alike),
        cmocka_unit_test(a_node_that_must_not_be_emptied_refuses_the_test),
        cmocka_unit_test(files_may_be_dropped_by_all),
        cmocka_unit_test(before_all_that_make_nothing_a_node_forgets_names),
        cmocka_unit_test(files_that_are_read_are_dropped_one_by_one),
        cmocka_unit_test(bytes_that_no_device_supplied_are_looked_for),
        cmocka_unit_test(pages_that_direct_io_left_are_counted),
    };

    return cmocka_run_group_tests_name("cache_state", tests, NULL, NULL);
}
