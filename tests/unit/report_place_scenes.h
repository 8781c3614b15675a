/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of places: nodes, storage, where ranks ran, and what was cached. Their findings are those
 * of the audit. */
#ifndef WEIR_TESTS_REPORT_PLACE_SCENES_H
#define WEIR_TESTS_REPORT_PLACE_SCENES_H

#include "report_scenes.h"

#include "weir/audit/audit.h"

static inline struct weir_cpu_set scene_cpus(const char *list)
{
    struct weir_cpu_set set;

    assert_int_equal(weir_cpu_set_parse(list, &set), 0);
    return set;
}

static inline struct weir_node_facts scene_node_facts(void)
{
    return (struct weir_node_facts){
        .kernel = "Linux 6.1.0-13-amd64 x86_64",
        .distribution = "Debian GNU/Linux 12 (bookworm)",
        .cpu_model = "AMD EPYC 7742 64-Core Processor",
        .governor = "performance",
        .smt = "on",
        .clock_source = "tsc",
        .cpus = "0-255",
        .numa_memory = "0: 64 GiB, 1: 64 GiB, 2: 64 GiB, 3: 64 GiB",
        .transparent_huge_pages = "madvise",
        .packages = 2,
        .numa_nodes = 4,
        .cores = 128,
        .processors = 256,
        .memory_bytes = 256 * GIB,
        .memory_limit_bytes = WEIR_UNLIMITED,
        .huge_page_bytes = 2 * MIB,
        .memlock_bytes = 8 * MIB,
        .open_files = 1024,
        .cpu_quota_permille = WEIR_UNLIMITED,
        .nic_count = 3,
        .nics = {{"eth0", "ethernet", "up", "ixgbe", 10000000000, 0},
                 {"eth1", "ethernet", "down", "ixgbe", 0, 0},
                 {"mlx5_0/1", "infiniband", "active", "mlx5_core", 200000000000, 2}},
    };
}

/* A share of a cluster, and a virtual machine that looks at it. */
static inline struct weir_node_facts scene_guest_facts(void)
{
    return (struct weir_node_facts){
        .kernel = "Linux 6.18.0 x86_64",
        .distribution = "Fedora Linux 41",
        .cpu_model = "Intel(R) Xeon(R) Processor @ 2.50GHz",
        .container = "docker",
        .hypervisor = "kvm",
        .cpus = "2-3",
        .packages = 1,
        .numa_nodes = 1,
        .cores = 4,
        .processors = 4,
        .memory_bytes = 16 * GIB,
        .memory_limit_bytes = 4 * GIB,
        .huge_page_bytes = 2 * MIB,
        .huge_pages = 512,
        .memlock_bytes = WEIR_UNLIMITED,
        .open_files = WEIR_UNLIMITED,
        .cpu_quota_permille = 1500,
    };
}

/* A logical volume on two disks. */
static inline struct weir_storage_facts scene_volume_facts(void)
{
    return (struct weir_storage_facts){
        .is_known = true,
        .mount_point = "/scratch",
        .source = "/dev/mapper/vg-scratch",
        .type = "xfs",
        .options = "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota",
        .device_count = 4,
        .devices = {{.name = "dm-0", .bytes = 4 * 1024 * GIB, .numa_node = WEIR_NUMA_UNKNOWN},
                    {.name = "nvme0n1p1",
                     .bytes = 2 * 1024 * GIB,
                     .level = 1,
                     .is_partition = true,
                     .numa_node = 1},
                    {.name = "nvme0n1",
                     .model = "SAMSUNG MZQL21T9HCJR-00A07",
                     .scheduler = "none",
                     .write_cache = "write back",
                     .bytes = 2 * 1024 * GIB,
                     .request_count = 1023,
                     .hardware_queues = 64,
                     .queue_depth = 1023,
                     .level = 2,
                     .numa_node = 1},
                    {.name = "sda",
                     .model = "ST2000NX0253",
                     .scheduler = "mq-deadline",
                     .write_cache = "write through",
                     .bytes = 2 * 1024 * GIB,
                     .request_count = 64,
                     .level = 1,
                     .is_rotational = true,
                     .numa_node = WEIR_NUMA_UNKNOWN}},
    };
}

static inline struct weir_storage_facts scene_beegfs_facts(void)
{
    return (struct weir_storage_facts){
        .is_known = true,
        .is_network = true,
        .mount_point = "/mnt/beegfs",
        .source = "beegfs_nodev",
        .type = "beegfs",
        .options = "rw,relatime,cfgFile=/etc/beegfs/beegfs-client.conf",
        .striping = "4 stripes of 512 KiB over 4 targets",
    };
}

static inline void scene_job(struct scene *scene)
{
    static const struct weir_fact job[] = {
        {"launcher", "srun"}, {"slurm job", "4711"}, {"slurm nodes", "n[1-2]"}};

    scene->result->mpi_library = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
    scene->result->job = weir_arena_take(&scene->result->arena, sizeof job);
    memcpy(scene->result->job, job, sizeof job);
    scene->result->job_count = sizeof job / sizeof *job;
}

/* `per_node` ranks on each node, the first of them with the first cores. */
static inline void scene_places(struct scene *scene, struct weir_phase_result *done,
                                unsigned per_node, const struct weir_execution *usual)
{
    static const char *const names[] = {"n1", "n2"};
    struct weir_arena *arena = &scene->result->arena;
    unsigned count = done->rank_count;
    struct weir_execution *executions = weir_arena_take(arena, count * sizeof *executions);
    struct weir_placed_rank *placed = weir_arena_take(arena, count * sizeof *placed);
    const char **hosts = weir_arena_take(arena, count * sizeof *hosts);

    for (unsigned i = 0; i < count; i++) {
        executions[i] = *usual;
        executions[i].is_known = true;
        executions[i].last_cpu = 2 * (i % per_node);
        executions[i].cpus = (struct weir_cpu_set){0};
        weir_cpu_set_add(&executions[i].cpus, 2 * (i % per_node));
        weir_cpu_set_add(&executions[i].cpus, 2 * (i % per_node) + 1);
        weir_cpu_set_add(&executions[i].cores, 2 * (i % per_node));
        executions[i].preemptions += 10 * i;
        placed[i] = (struct weir_placed_rank){i / per_node, &executions[i], 7000000};
        hosts[i] = names[i / per_node % 2];
    }
    weir_places_derive(arena, placed, count, hosts, done->node_count, &done->node_places,
                       &done->rank_places);
}

static const struct weir_execution scene_quiet = {
    .is_pinned = true,
    .given_core_count = 128,
    .cpu_nodes = 1,
    .wanted_nodes = 1,
    .page_nodes = 1,
    .wall_ns = 14000000,
    .migrations = 2,
    .preemptions = 5,
    .throttled_ns = WEIR_UNKNOWN,
};

/* Two alike nodes on a file system of a network: a write, and a read of what is in part still in
 * page caches. */
static inline struct scene make_places(void)
{
    struct scene scene = SCENE_OPEN("ior", "--pin", "core", "-o", "/mnt/beegfs/f");
    struct weir_test *test = scene_test(&scene, 4, "/mnt/beegfs/f");
    struct weir_target *target = scene_target(&scene, "/mnt/beegfs/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    static const char *const hosts[] = {"n1", "n2"};
    struct weir_node_facts nodes[] = {scene_node_facts(), scene_node_facts()};
    struct weir_storage_facts storages[] = {scene_beegfs_facts(), scene_beegfs_facts()};
    struct scene_row row = usual_row;

    row.bytes *= 2;
    scene.result->tests[0].node_count = 2;
    scene.result->tests[0].ranks_per_node = 2;
    weir_result_set_nodes(scene.result, hosts, nodes, 2);
    weir_result_set_storages(scene.result, &scene.result->tests[0], hosts, storages, 2);
    scene_job(&scene);
    for (unsigned i = 0; i < 2; i++) {
        struct weir_phase_result *done = scene_done(&scene, test, i ? read : write, 0, row);

        scene_places(&scene, done, 2, &scene_quiet);
        done->node_memory_bytes = 256 * GIB;
        done->traffic = (struct weir_traffic){.has_network = true,
                                              .network_received_bytes = (i ? 4 : 1) * MIB,
                                              .network_sent_bytes = (i ? 1 : 17) * MIB};
        if (i)
            done->residency = (struct weir_residency_result){16 * MIB, 12 * MIB, 4};
        weir_audit_phase(scene.plan, &(struct weir_test_result){0}, done);
    }
    return scene;
}

/* Two nodes that differ, with a volume of their own each, where all went wrong. */
static inline struct scene make_misplaced(void)
{
    struct scene scene = SCENE_OPEN("ior", "-i", "2", "-w", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 4, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    static const char *const hosts[] = {"n1", "n2"};
    struct weir_node_facts nodes[] = {scene_node_facts(), scene_guest_facts()};
    struct weir_storage_facts storages[] = {scene_volume_facts(), {.is_known = false}};
    struct weir_execution disturbed = scene_quiet;
    struct scene_row row = usual_row;

    row.bytes *= 2;
    row.transfer_s = row.total_s = 2.5;
    test->repetitions = 2;
    disturbed.is_pinned = false;
    disturbed.is_moved = true;
    disturbed.page_nodes = 3;
    disturbed.cores = scene_cpus("0");
    disturbed.away_permille = 305;
    disturbed.wall_ns = 2500000000;
    disturbed.throttled_ns = 1200000000;
    disturbed.stolen_ns = 400000000;
    disturbed.stolen_cpus = 2;
    scene.result->tests[0].node_count = 2;
    scene.result->tests[0].ranks_per_node = 2;
    weir_result_set_nodes(scene.result, hosts, nodes, 2);
    weir_result_set_storages(scene.result, &scene.result->tests[0], hosts, storages, 2);
    for (unsigned i = 0; i < 2; i++) {
        struct weir_phase_result *done = scene_done(&scene, test, write, i, row);

        scene_places(&scene, done, 2, &disturbed);
        done->node_places[1].core_count = done->node_places[1].given_core_count = 1;
        done->node_places[1].crowded_count = 1;
        done->node_places[0].crowded_count = 1;
        done->node_places[0].first_crowded = 1;
        done->node_places[0].crowded_cpu = 2;
        done->node_places[1].migrations = WEIR_UNKNOWN;
        done->node_memory_bytes = 16 * GIB;
        done->traffic = (struct weir_traffic){.has_devices = true,
                                              .has_network = true,
                                              .device_read_bytes = 3 * MIB,
                                              .device_written_bytes = 21 * MIB + MIB / 4};
        weir_audit_phase(scene.plan, &(struct weir_test_result){0}, done);
    }
    return scene;
}

#endif
