/* SPDX-License-Identifier: Apache-2.0 */
/* Backends that exist only as descriptors, for fuzzing the front end without MPI. */
#include "fuzz_backends.h"

#include <assert.h>
#include <string.h>

struct values {
    int64_t flag;
    int64_t count;
    const char *path;
    uint64_t pause_ns;
};

static const struct weir_option rows[] = {
    {0, "posix.odirect", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct values, flag), .help = "flag"},
    {0, "mpiio.hintsFileName", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct values, path),
     .help = "path"},
    {0, "posix.count", WEIR_OPTION_COUNT, WEIR_OPTION_AT(struct values, count), "128",
     .help = "count"},
    {0, "dummy.delay-xfer", WEIR_OPTION_MICROSECONDS, WEIR_OPTION_AT(struct values, pause_ns),
     .help = "pause"},
    {0},
};

#define CAN_ALL (WEIR_CAN_SHARE | WEIR_CAN_COLLECT | WEIR_CAN_KEEP | WEIR_CAN_NAME)

static const struct weir_descriptor posix = {
    .name = "posix",
    .label = "POSIX",
    .version = "",
    .abilities = CAN_ALL | WEIR_TAKES_DEVICES,
    .name_verbs = ~0u,
    .options = {"POSIX", rows, sizeof(struct values)},
};
static const struct weir_descriptor libaio = {
    .name = "libaio",
    .label = "AIO",
    .alias = "aio",
    .version = "",
    .abilities = CAN_ALL | WEIR_CAN_QUEUE | WEIR_TAKES_DEVICES,
    .standard_depth = 128,
    .standard_batch = 16,
    .options = {"AIO", rows, sizeof(struct values)},
};
static const struct weir_descriptor null = {
    .name = "null",
    .label = "DUMMY",
    .alias = "dummy",
    .version = "",
    .abilities = (CAN_ALL & ~WEIR_CAN_KEEP) | WEIR_CAN_QUEUE,
    .options = {"DUMMY", NULL, 0},
};
static const struct weir_descriptor fault = {
    .name = "fault",
    .label = "FAULT",
    .version = "",
    .abilities = WEIR_WRAPS,
    .options = {"FAULT", rows, sizeof(struct values)},
};
static const struct weir_descriptor *const descriptors[] = {&posix, &libaio, &null, &fault};

const struct weir_backends weir_fuzz_backends = {descriptors, 4, NULL};

void weir_fuzz_lower(struct weir_plan *plan, const struct weir_ior_request *request)
{
    struct weir_error error = {0};
    struct weir_text text = {0};
    int failure = 0;

    for (; request && !failure; request = request->next) {
        failure = weir_ior_lower(plan, request, &error);
        if (!failure && !request->next)
            failure = weir_ior_lower_output(&plan->output, request, &error);
    }
    if (!failure)
        failure = weir_plan_freeze(plan, &error);
    if (!failure)
        weir_plan_explain(plan, &text);
    /* Whoever fails says why, and nobody else says anything. */
    assert(!failure == !weir_error_is_set(&error));
    assert(!failure == (error.text[0] == '\0'));
    weir_text_close(&text);
    weir_plan_close(plan);
}
