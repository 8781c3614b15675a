/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of `weir net` made by hand: plan and result, as if they had been measured. */
#ifndef WEIR_TESTS_UNIT_NET_SCENES_H
#define WEIR_TESTS_UNIT_NET_SCENES_H

#include "weir/flows/plan.h"
#include "weir/flows/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct net_scene {
    struct weir_net_plan plan;
    struct weir_net_result *result;
};

/* Ranks 0 ... count - 1, of which each host has `per_host`. */
static void net_scene_open(struct net_scene *scene, const char *provider, uint32_t rank_count,
                           uint32_t per_host)
{
    struct weir_net_result *result = weir_net_result_open();

    *scene = (struct net_scene){
        .plan =
            {
                .command_line = "weir net --made-by-hand",
                .gid_index = -1,
                .sizes = {65536},
                .size_count = 1,
                .duration_ns = 2000000000,
                .warm_up_ns = 200000000,
                .depth = 128,
                .batch = 16,
                .pairs = 1,
                .repetitions = 1,
            },
        .result = result,
    };
    result->begun_s = 1795270000;
    result->finished_s = 1795270060;
    snprintf(result->provider, sizeof result->provider, "%s", provider);
    result->rank_count = rank_count;
    result->node_count = (rank_count + per_host - 1) / per_host;
    result->ranks = weir_arena_take(&result->arena, rank_count * sizeof *result->ranks);
    for (uint32_t i = 0; i < rank_count; i++) {
        struct weir_net_rank *rank = &result->ranks[i];

        snprintf(rank->host, sizeof rank->host, "n%u", i / per_host + 1);
        snprintf(rank->address, sizeof rank->address, "10.77.0.%u", i / per_host + 1);
        rank->numa_node = -1;
        rank->buffer_bytes = 8 << 20;
        rank->huge_page_bytes = UINT64_MAX;
    }
}

static inline void net_scene_close(struct net_scene *scene)
{
    weir_net_result_close(scene->result);
}

static inline struct weir_net_measurement *
net_scene_add(struct net_scene *scene, uint64_t message_bytes, uint32_t flow_count)
{
    struct weir_net_measurement *measurement = weir_net_result_add(scene->result, flow_count);

    measurement->message_bytes = message_bytes;
    return measurement;
}

/* Flow `place` at a rate in MB/s (10^6 bytes) for `seconds`. */
static inline struct weir_net_flow_result *net_scene_flow(struct weir_net_measurement *measurement,
                                                          uint32_t place, uint32_t source,
                                                          uint32_t sink, double mb_per_s,
                                                          double seconds)
{
    struct weir_net_flow_result *flow = &measurement->flows[place];

    flow->source = source;
    flow->sink = sink;
    flow->seconds = seconds;
    flow->message_count =
        (uint64_t)(mb_per_s * 1e6 * seconds / (double)measurement->message_bytes + 0.5);
    flow->byte_count = flow->message_count * measurement->message_bytes;
    flow->retransmit_count = UINT64_MAX;
    return flow;
}

/* What all flows make of the measurement. They ran together from `begin` to `end` of the longest.
 */
static inline void net_scene_sum(struct weir_net_measurement *measurement)
{
    double bytes = 0;

    measurement->common_s = INFINITY;
    for (uint32_t i = 0; i < measurement->flow_count; i++) {
        const struct weir_net_flow_result *flow = &measurement->flows[i];

        bytes += flow->failure[0] ? 0 : (double)flow->byte_count;
        measurement->seconds = fmax(measurement->seconds, flow->seconds);
        measurement->common_s = fmin(measurement->common_s, flow->seconds);
    }
    measurement->bytes_per_s = bytes / measurement->seconds;
    measurement->cpu_s = measurement->seconds * measurement->flow_count;
}

/* A measurement of one flow, whole. */
static inline struct weir_net_measurement *net_scene_one(struct net_scene *scene,
                                                         uint64_t message_bytes, uint32_t source,
                                                         uint32_t sink, double mb_per_s)
{
    struct weir_net_measurement *measurement = net_scene_add(scene, message_bytes, 1);

    net_scene_flow(measurement, 0, source, sink, mb_per_s, 2.0);
    net_scene_sum(measurement);
    return measurement;
}

static inline void net_scene_intervals(struct net_scene *scene, uint32_t measurement)
{
    const struct weir_net_measurement *one = &scene->result->measurements[measurement];

    for (uint32_t i = 0; i < one->flow_count; i++)
        for (unsigned second = 0; second < 2; second++)
            weir_net_result_add_interval(scene->result,
                                         &(struct weir_net_interval){
                                             .measurement = measurement,
                                             .flow = i,
                                             .begin_s = second,
                                             .end_s = second + 1,
                                             .byte_count = one->flows[i].byte_count / 2,
                                         });
}

/* ---- scenes ---- */

static inline void net_scene_pair(struct net_scene *scene)
{
    static const double rates[] = {45, 110, 120};

    net_scene_open(scene, "verbs", 2, 1);
    snprintf(scene->result->transport, sizeof scene->result->transport, "RoCE v2");
    scene->plan.size_count = 3;
    scene->result->mtu_bytes = 4096;
    scene->result->link_bits_per_s = UINT64_C(100000000000);
    for (unsigned i = 0; i < 2; i++)
        snprintf(scene->result->ranks[i].device, 32, "mlx5_%u/1", i);
    for (unsigned i = 0; i < 3; i++) {
        struct weir_net_measurement *measurement;

        scene->plan.sizes[i] = UINT64_C(4096) << 4 * i;
        measurement = net_scene_one(scene, scene->plan.sizes[i], 0, 1, 100 * rates[i]);
        measurement->flows[0].peak_bytes_per_s = rates[i] * 1.05e8;
        measurement->is_latency_bound = true;
        for (unsigned j = 1; j <= 1000; j++)
            weir_histogram_add(measurement->latency, 1000 * j);
    }
}

/* Two pairs over one trunk, three times. */
static inline void net_scene_pairs(struct net_scene *scene)
{
    net_scene_open(scene, "tcp", 4, 2);
    scene->plan.pattern = WEIR_NET_PAIRS;
    scene->plan.repetitions = 3;
    snprintf(scene->result->transport, sizeof scene->result->transport, "TCP");
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_net_measurement *measurement;

        for (uint32_t j = 0; j < 2; j++) {
            measurement = net_scene_one(scene, 65536, j, j + 2, 1000.0 + i);
            measurement->is_alone = true;
            measurement->repetition = i;
            measurement->round = j;
            measurement->flows[0].retransmit_count = 0;
        }
        measurement = net_scene_add(scene, 65536, 2);
        measurement->repetition = i;
        measurement->round = 2;
        for (uint32_t j = 0; j < 2; j++)
            net_scene_flow(measurement, j, j, j + 2, 500 + 100.0 * i + 20.0 * j, 2.0)
                ->retransmit_count = 10 * j + i;
        net_scene_sum(measurement);
        net_scene_intervals(scene, 3 * i + 2);
    }
}

/* Every rank with every other, and one that is slow. */
static inline void net_scene_all(struct net_scene *scene)
{
    net_scene_open(scene, "tcp", 4, 1);
    scene->plan.pattern = WEIR_NET_ALL;
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t source = i / 3;
        uint32_t sink = (source + 1 + i % 3) % 4;
        double rate = source == 3 && sink == 1 ? 310 : 1000 + 10.0 * i;

        net_scene_one(scene, 65536, source, sink, rate)->round = i / 2;
    }
}

static inline void net_scene_latency(struct net_scene *scene)
{
    struct weir_net_measurement *measurement;

    net_scene_open(scene, "verbs", 2, 2);
    scene->plan.measure = WEIR_NET_LATENCY;
    scene->plan.verb = WEIR_NET_READ;
    scene->plan.depth = 1;
    scene->plan.batch = 1;
    scene->plan.sizes[0] = 8;
    scene->plan.duration_ns = 0;
    scene->plan.iterations = 1000;
    scene->result->is_latency = true;
    scene->result->mtu_bytes = 4096;
    scene->result->read_depth = 16;
    snprintf(scene->result->transport, sizeof scene->result->transport, "RoCE v2");
    for (unsigned i = 0; i < 2; i++)
        snprintf(scene->result->ranks[i].device, 32, "rxe0/1");
    measurement = net_scene_one(scene, 8, 0, 1, 0.004);
    measurement->flows[0].latency_min_s = 20e-6;
    measurement->flows[0].latency_median_s = 25e-6;
    measurement->flows[0].latency_max_s = 400e-6;
    for (unsigned i = 0; i < 1000; i++)
        weir_histogram_add(measurement->latency, i == 999 ? 400000 : i < 100 ? 20000 : 25000);
}

static inline void net_scene_both(struct net_scene *scene)
{
    struct weir_net_measurement *measurement;

    net_scene_open(scene, "tcp", 2, 1);
    scene->plan.is_both_ways = true;
    measurement = net_scene_add(scene, 65536, 2);
    net_scene_flow(measurement, 0, 0, 1, 3700, 2.0)->retransmit_count = 567;
    net_scene_flow(measurement, 1, 1, 0, 418, 2.0)->retransmit_count = 270;
    net_scene_sum(measurement);
    net_scene_intervals(scene, 0);
}

/* Three to one, one of which was lost; names and words that would steer a terminal. */
static inline void net_scene_failed(struct net_scene *scene)
{
    struct weir_net_measurement *measurement;

    net_scene_open(scene, "tcp", 4, 4);
    scene->plan.pattern = WEIR_NET_INCAST;
    snprintf(scene->result->ranks[1].host, 64, "n\033[2J\xff");
    measurement = net_scene_add(scene, 65536, 3);
    for (uint32_t i = 0; i < 3; i++)
        net_scene_flow(measurement, i, i + 1, 0, 400, 2.0);
    measurement->flows[0].retransmit_count = 3; /* of the others it is not known */
    measurement->flows[2].failure = "tcp: peer\nis gone \033[31m";
    net_scene_sum(measurement);
}

/* A hundred ranks in three rounds, of which each has a flow that is slow, one that failed, and
 * one with wrong data. */
static inline void net_scene_many(struct net_scene *scene)
{
    enum { HALF = 50 };

    net_scene_open(scene, "tcp", 2 * HALF, 4);
    scene->plan.pattern = WEIR_NET_BISECTION;
    weir_net_result_keep(scene->result, HALF, 4);
    for (uint32_t round = 0; round < 3; round++) {
        struct weir_net_measurement *measurement = net_scene_add(scene, 65536, HALF);

        measurement->round = round;
        for (uint32_t i = 0; i < HALF; i++)
            net_scene_flow(measurement, i, i, HALF + (i + round) % HALF,
                           i == 17 ? 100 + 100 * round : 1000 + i % 10, 2.0);
        measurement->flows[20].failure = round == 1 ? "gone" : "";
        measurement->flows[10].wrong_count = round;
        measurement->flows[30].retransmit_count = 5;
        net_scene_sum(measurement);
        weir_histogram_add_many(measurement->latency, 1000 * (round + 1), 100);
        weir_net_measurement_reduce(scene->result, measurement, 4);
    }
}

static const struct {
    const char *name;
    void (*open)(struct net_scene *scene);
} net_scenes[] = {
    {"pair", net_scene_pair},       {"pairs", net_scene_pairs}, {"all", net_scene_all},
    {"latency", net_scene_latency}, {"both", net_scene_both},   {"failed", net_scene_failed},
    {"many", net_scene_many},
};
enum { NET_SCENES = sizeof net_scenes / sizeof *net_scenes };

#endif
