/* SPDX-License-Identifier: Apache-2.0 */
/* The engine on one rank without MPI, for its tests: a command line in, records out. */
#ifndef WEIR_TESTS_ENGINE_BED_H
#define WEIR_TESTS_ENGINE_BED_H

#include "weir/engine/engine.h"
#include "weir/front/front.h"
#include "weir/system/running.h"

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WORDS_MAX 32
#define EXECUTIONS_MAX 8

/* One run: what it was asked, and what came of it. */
struct bed {
    const char *dialect; /* of the command line; set_up: "ior" */
    char directory[64];
    char words_text[1024];
    struct weir_plan *plan;
    struct weir_group *group;
    struct weir_clock clock;
    struct weir_result *result;
    struct weir_error error;
    volatile sig_atomic_t stop_signal;
    unsigned phases_until_signal; /* raise the stop signal after so many phases; 0: never */
    uint64_t rows_bytes;          /* of the rows of all ranks that were shown with the last phase */
    uint64_t resident_kib;        /* while the last phase was shown */
    struct weir_execution executions[EXECUTIONS_MAX]; /* of the first phases, by their numbers */
    struct weir_cpu_set cpus; /* of this process, while the last phase was shown */
    /* Called with each phase that was not skipped; NULL: nothing is done. */
    void (*when_shown)(struct bed *bed, const struct weir_phase_result *phase);
    const struct weir_registry *registry;
    /* Makes of the plan what no words ask for; NULL: nothing. */
    void (*change)(struct weir_plan *plan);
};

static inline uint64_t resident_kib(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    unsigned long long kib = 0;
    char line[256];

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmRSS: %llu", &kib) == 1)
            break;
    fclose(file);
    return kib;
}

static inline int count_phase(void *context, struct weir_phase_result *phase,
                              struct weir_error *error)
{
    struct bed *bed = context;

    (void)error;
    bed->resident_kib = resident_kib();
    assert_int_equal(weir_running_cpus(&bed->cpus), 0);
    if (phase->outcome != WEIR_OUTCOME_SKIPPED) {
        assert_non_null(phase->rows);
        bed->rows_bytes = phase->rows[0].byte_count;
        if (bed->result->phase_count <= EXECUTIONS_MAX)
            bed->executions[bed->result->phase_count - 1] = phase->rows[0].execution;
        if (bed->when_shown != NULL)
            bed->when_shown(bed, phase);
    }
    if (bed->phases_until_signal != 0 && bed->result->phase_count == bed->phases_until_signal)
        bed->stop_signal = 15;
    return 0;
}

static inline void list_descriptors(struct weir_backends *backends,
                                    const struct weir_registry *registry,
                                    const struct weir_descriptor *descriptors[])
{
    for (size_t i = 0; i < registry->count; i++)
        descriptors[i] = &registry->backends[i]->descriptor;
    *backends = (struct weir_backends){.descriptors = descriptors, .count = registry->count};
}

static inline void set_up(struct bed *bed)
{
    memset(bed, 0, sizeof *bed);
    bed->registry = &weir_registry;
    bed->dialect = "ior";
    snprintf(bed->directory, sizeof bed->directory, "/tmp/test_engine.XXXXXX");
    assert_non_null(mkdtemp(bed->directory));
    assert_int_equal(weir_group_self_open(&bed->group), 0);
    weir_clock_calibrate(&bed->clock, true);
}

/* `line` holds the options; %s in it stands for the directory. */
static inline void run(struct bed *bed, const char *line)
{
    const struct weir_descriptor *descriptors[16];
    struct weir_observer observer = {.context = bed, .phase_done = count_phase};
    const char *words[WORDS_MAX] = {bed->dialect};
    struct weir_backends backends;
    struct weir_command command;
    int count = 1;
    char *rest;

    weir_result_close(bed->result);
    weir_plan_close(bed->plan);
    bed->result = NULL;
    bed->plan = NULL;
    bed->error = (struct weir_error){0};
    list_descriptors(&backends, bed->registry, descriptors);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(bed->words_text, sizeof bed->words_text, line, bed->directory, bed->directory);
#pragma GCC diagnostic pop
    for (char *word = strtok_r(bed->words_text, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    if (weir_front_read(count, words, &backends, &command, &bed->error) != 0)
        fail_msg("%s", bed->error.text);
    bed->plan = command.plan;
    command.plan = NULL;
    weir_command_close(&command);
    if (bed->change != NULL)
        bed->change(bed->plan);
    if (bed->group->rank == 0)
        bed->result = weir_result_open((unsigned)bed->plan->test_count);
    weir_engine_run(&(struct weir_engine_params){.plan = bed->plan,
                                                 .registry = bed->registry,
                                                 .group = bed->group,
                                                 .clock = &bed->clock,
                                                 .observer = &observer,
                                                 .stop_signal = &bed->stop_signal},
                    bed->result, &bed->error);
}

/* A run that goes well. */
static inline void run_well(struct bed *bed, const char *line)
{
    run(bed, line);
    assert_string_equal(bed->error.text, "");
}

static inline unsigned count_files(const struct bed *bed)
{
    DIR *directory = opendir(bed->directory);
    unsigned count = 0;
    struct dirent *entry;

    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* nftw's callback: removes everything below the bed's directory, not the directory itself. */
static inline int remove_entry(const char *path, const struct stat *facts, int kind,
                               struct FTW *walk)
{
    (void)facts;
    (void)kind;
    return walk->level > 0 ? remove(path) : 0;
}

static inline void remove_files(const struct bed *bed)
{
    assert_int_equal(nftw(bed->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void tear_down(struct bed *bed)
{
    remove_files(bed);
    assert_int_equal(rmdir(bed->directory), 0);
    weir_result_close(bed->result);
    weir_plan_close(bed->plan);
    weir_group_close(bed->group);
}

static inline const struct weir_phase_result *phase(const struct bed *bed, unsigned number)
{
    assert_true(number < bed->result->phase_count);
    return &bed->result->phases[number];
}

#endif
