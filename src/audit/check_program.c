/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the times of a program's labels are those of ranks that worked together. */
#include "checks.h"

#include "weir/base/text.h"

#include <stdio.h>

/* Ranks that begin so far apart on average, as a share of what they time, are in part alone.
 * Shorter times are those of the clock and of barriers. */
#define SKEW_SHARE 0.25
#define SKEW_LEAST_S 0.001
/* Of each rank. A label that is executed more often is one of a loop: ranks drift apart in it, and
 * a barrier in each round would change what is measured. */
#define EXECUTIONS_MAX 3

static double skew_share(const struct weir_label_result *label)
{
    double mean_s = label->duration != NULL ? weir_histogram_mean_ns(label->duration) / 1e9 : 0.0;

    return label->byte_count > 0 && label->skew_count > 0 && label->skew_mean_s >= SKEW_LEAST_S &&
                   label->execution_count <= EXECUTIONS_MAX * label->rank_count && mean_s > 0.0
               ? label->skew_mean_s / mean_s
               : 0.0;
}

/* `time` has no barrier. Of labels that move data the worst is named. */
static void check_starts(const struct weir_audit_input *input)
{
    const struct weir_program_result *program = input->record->program;
    const struct weir_label_result *worst = NULL;
    char skew[WEIR_DURATION_TEXT_BYTES], mean[WEIR_DURATION_TEXT_BYTES], others[48] = "";
    unsigned count = 0;

    for (unsigned i = 0; program != NULL && i < program->label_count; i++) {
        const struct weir_label_result *label = &program->labels[i];

        if (skew_share(label) < SKEW_SHARE)
            continue;
        count++;
        if (worst == NULL || skew_share(label) > skew_share(worst))
            worst = label;
    }
    if (worst == NULL)
        return;
    if (count > 1)
        snprintf(others, sizeof others, " (and of %u more label%s)", count - 1,
                 count == 2 ? "" : "s");
    weir_result_find(
        input->record, WEIR_NOTE, "skewed-start",
        "ranks began the same execution of \"%.60s\"%s up to %s apart, and one takes %s "
        "on average: some worked alone; a barrier before it lets them begin together",
        worst->name, others, weir_duration_format(worst->skew_max_s, skew),
        weir_duration_format(weir_histogram_mean_ns(worst->duration) / 1e9, mean));
}

void weir_audit_program(const struct weir_audit_input *input)
{
    weir_audit_clock(input);
    weir_audit_data(input);
    weir_audit_movement(input);
    check_starts(input);
}
