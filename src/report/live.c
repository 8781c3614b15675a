/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of --live, with the words of csv-long. */
#include "weir/report/live.h"

#include "figures.h"
#include "json_report.h"

#include <inttypes.h>
#include <math.h>

/* Values are rounded to what a reader of a rate or a time can use. */
static void put_known(json_t *object, const char *key, double value, double unit)
{
    if (isfinite(value))
        weir_json_put_number(object, key, round(value / unit) * unit);
}

void weir_report_live(struct weir_text *text, const struct weir_live_line *line)
{
    char date[WEIR_DATE_BYTES], run_id[17];
    json_t *object = json_object();

    snprintf(run_id, sizeof run_id, "%016" PRIx64, line->run_id);
    weir_json_put_text(object, "record", "live");
    weir_json_put_text(object, "schema", "weir-live-1");
    weir_json_put_text(object, "time", weir_date_format_utc(line->time_s, date));
    weir_json_put_text(object, "run_id", run_id);
    weir_json_put_text(object, "event", line->event);
    weir_json_put_integer(object, "test", line->test);
    weir_json_put_text(object, "name", line->name);
    weir_json_put_integer(object, "repetition", line->repetition);
    if (line->trial_depth > 0)
        weir_json_put_integer(object, "trial_depth", line->trial_depth);
    put_known(object, "elapsed", line->elapsed_s, 1e-3);
    put_known(object, "bytes", line->bytes, 1);
    put_known(object, "operations", line->operations, 1);
    put_known(object, "rate", line->rate, 1);
    put_known(object, "ops", line->ops, 0.1);
    put_known(object, "percent", line->share * 100, 0.1);
    put_known(object, "remaining", line->left_s, 0.1);
    weir_json_put_integer(object, "ranks", line->ranks);
    weir_json_put_integer(object, "ranks_counted", line->ranks_counted);
    put_known(object, "slowest_rank", line->slowest_rank, 1);
    put_known(object, "slowest_percent", line->slowest_share * 100, 0.1);
    weir_json_add(text, object, JSON_COMPACT | JSON_REAL_PRECISION(12));
}
