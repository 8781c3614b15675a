/* SPDX-License-Identifier: Apache-2.0 */
/* When the job ends, and a timer for some time before it. */
#include "deadline.h"

#include "weir/base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define NS_PER_S 1e9

/* The user's own word goes before that of the batch system. */
static const char *const variables[] = {"WEIR_JOB_END_TIME", "SLURM_JOB_END_TIME"};

static const char *find_variable(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);

        if (value != NULL && *value != '\0')
            return variables[i];
    }
    return NULL;
}

static int read_end(double *end_s, struct weir_error *error)
{
    const char *variable = find_variable();
    int64_t seconds;

    if (variable == NULL)
        return weir_error_usage(
            error, "--stop-before",
            "nothing tells when this job ends: set WEIR_JOB_END_TIME to that time in seconds since "
            "1970, as in export WEIR_JOB_END_TIME=$(date -d '+ 25 minutes' +%%s), have weir-step "
            "ask Slurm, or leave it out");
    if (weir_integer_parse(getenv(variable), &seconds) != 0 || seconds <= 0)
        return weir_error_usage(error, "--stop-before",
                                "%s: \"%s\" is no time in seconds since 1970; unset it, or leave "
                                "--stop-before out",
                                variable, getenv(variable));
    *end_s = (double)seconds;
    return 0;
}

/* Wall clocks tell how long the job may go on, here and now; from then on every node counts by its
 * own timer. */
static int find_rest(const struct weir_plan *plan, double *rest_s, struct weir_error *error)
{
    double end_s = 0.0;
    double now_s = weir_wall_clock_s();
    double before_s = (double)plan->stop_before_ns / NS_PER_S;

    if (read_end(&end_s, error) != 0)
        return error->code;
    *rest_s = end_s - now_s - before_s;
    if (*rest_s > 0.0)
        return 0;
    if (end_s < now_s)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ETIME, "--stop-before",
                              "the job ended %.0f s ago, as %s says: set it anew, or leave "
                              "--stop-before out",
                              now_s - end_s, find_variable());
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ETIME, "--stop-before",
                          "the job ends in %.0f s, and the run is to end %.0f s before that: "
                          "nothing was begun; give less time, or have a longer job",
                          end_s - now_s, before_s);
}

static void set_timer(double seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};

    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (seconds > 0.0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

int weir_deadline_set(struct weir_group *group, const struct weir_plan *plan, double *rest_s,
                      struct weir_error *error)
{
    int code;

    *rest_s = 0.0;
    if (!plan->has_stop_before)
        return 0;
    if (group->rank == 0)
        find_rest(plan, rest_s, error);
    code = weir_group_broadcast(group, rest_s, sizeof *rest_s, 0);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "ranks cannot agree when to end: %s", strerror(-code));
    if (weir_group_agree(group, error) != 0)
        return error->code;
    set_timer(*rest_s);
    return 0;
}

void weir_deadline_clear(void)
{
    set_timer(0.0);
}
