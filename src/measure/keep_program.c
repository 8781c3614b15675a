/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what a program has done when it has been shown. */
#include "weir/measure/program.h"

#include <string.h>

static void *keep_list(struct weir_arena *arena, const void *list, size_t bytes)
{
    void *copy = weir_arena_take(arena, bytes + 1);

    return bytes == 0 ? copy : memcpy(copy, list, bytes);
}

static void keep_labels(struct weir_arena *arena, struct weir_program_result *kept)
{
    kept->labels = keep_list(arena, kept->labels, kept->label_count * sizeof *kept->labels);
    for (unsigned i = 0; i < kept->label_count; i++) {
        struct weir_label_result *label = &kept->labels[i];

        label->name = weir_arena_copy(arena, label->name);
        label->duration = weir_histogram_trim(arena, label->duration);
        for (unsigned j = 0; j < label->slowest_count; j++)
            label->slowest[j].host = weir_arena_copy(arena, label->slowest[j].host);
    }
}

struct weir_program_result *weir_program_result_keep(struct weir_arena *arena,
                                                     const struct weir_program_result *program)
{
    struct weir_program_result *kept;

    if (program == NULL)
        return NULL;
    kept = keep_list(arena, program, sizeof *program);
    keep_labels(arena, kept);
    kept->events = keep_list(arena, kept->events, kept->event_count * sizeof *kept->events);
    kept->calls = keep_list(arena, kept->calls, kept->call_count * sizeof *kept->calls);
    for (unsigned i = 0; i < kept->call_count; i++)
        kept->calls[i].latency = weir_histogram_trim(arena, kept->calls[i].latency);
    kept->failures = keep_list(arena, kept->failures, kept->failure_count * sizeof *kept->failures);
    for (unsigned i = 0; i < kept->failure_count; i++)
        kept->failures[i].path = weir_arena_copy(arena, kept->failures[i].path);
    kept->warnings = weir_arena_copy(arena, kept->warnings);
    return kept;
}
