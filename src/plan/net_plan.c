/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a net run: what it may be, and as text. */
#include "weir/plan/net_plan.h"

#include <errno.h>

int weir_net_plan_check(const struct weir_net_plan *plan, struct weir_error *error)
{
    (void)plan;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

void weir_net_plan_explain(const struct weir_net_plan *plan, struct weir_text *text)
{
    (void)plan;
    (void)text;
}

const char *weir_net_measure_name(enum weir_net_measure measure)
{
    (void)measure;
    return NULL;
}

const char *weir_net_pattern_name(enum weir_net_pattern pattern)
{
    (void)pattern;
    return NULL;
}

const char *weir_net_verb_name(enum weir_net_verb verb)
{
    (void)verb;
    return NULL;
}
