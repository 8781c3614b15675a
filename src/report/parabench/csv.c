/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of a program as CSV: a line for each, with all figures in bytes and seconds. */
#include "labels.h"
#include "original.h"
#include "parabench.h"

#include <inttypes.h>

static const char header[] =
    "label,kind,ranks,executions,calls,bytes,min_s,mean_s,median_s,p99_s,max_s,call_s,first_begin_"
    "s,last_end_s,bytes_per_s,skew_mean_s,skew_max_s,rank_min_s,rank_mean_s,rank_max_s,"
    "inside_s,inside_is_estimated,inside_bytes_per_s\n";

static void add_label(struct weir_text *text, const struct weir_label_result *label)
{
    static const double fractions[] = {0.5, 0.99, 1.0};
    const struct weir_histogram *duration = label->duration;
    struct weir_text name = {0};

    weir_text_add_visible(&name, label->name);
    weir_text_add_quoted(text, weir_text_string(&name));
    weir_text_close(&name);
    weir_text_add(text, ",%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64, label->is_core ? "core" : "time",
                  label->rank_count, label->execution_count, label->call_count, label->byte_count);
    weir_text_add(text, ",%.9f,%.9f", (double)weir_histogram_percentile(duration, 0.0) / 1e9,
                  weir_histogram_mean_ns(duration) / 1e9);
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++)
        if (fractions[i] <= 0.5 || weir_histogram_has_quantile(duration, fractions[i]))
            weir_text_add(text, ",%.9f",
                          (double)weir_histogram_percentile(duration, fractions[i]) / 1e9);
        else
            weir_text_add(text, ",");
    weir_text_add(text, ",%.9f,%.9f,%.9f,%.3f,%.9f,%.9f,%.9f,%.9f,%.9f", label->call_s,
                  label->first_begin_s, label->last_end_s, weir_parabench_label_rate(label),
                  label->skew_mean_s, label->skew_max_s, label->rank_s_min, label->rank_s_mean,
                  label->rank_s_max);
    weir_text_add(text, ",%.9f,%d,%.3f\n", label->inside_s, label->inside_is_estimated,
                  weir_parabench_inside_rate(label));
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_program_result *program = weir_parabench_program(plan, phase);

    (void)result;
    for (unsigned i = 0; program != NULL && i < program->label_count; i++)
        if (program->labels[i].duration != NULL)
            add_label(text, &program->labels[i]);
}

const struct weir_reporter weir_reporter_parabench_csv = {
    .name = "parabench csv",
    .header = header,
    .phase_done = phase_done,
};
