/* SPDX-License-Identifier: Apache-2.0 */
/* When the job ends, and a timer for some time before it. */
#include "deadline.h"

#include "weir/base/clock.h"
#include "weir/system/shell.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

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

/* The text of a date as Slurm prints it, in local time; false if it is none, as "Unknown". */
static bool read_date(const char *text, double *end_s)
{
    struct tm date = {.tm_isdst = -1};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &date);
    time_t seconds;

    if (rest == NULL || (*rest != '\0' && !isspace((unsigned char)*rest)))
        return false;
    seconds = mktime(&date);
    *end_s = (double)seconds;
    return seconds > 0;
}

/* Slurm before 23.02 gives its jobs no SLURM_JOB_END_TIME, but its programs know the end: a date
 * after `key` in what they print. JOB stands for the number of the job. Options are written as
 * arrays, which the check for options of dialects takes for arguments of other programs. */
static const char JOB[] = "JOB";
static const struct {
    const char *words[8];
    const char *key;
} questions[] = {
    {{"env", "SLURM_TIME_FORMAT=standard", "squeue", (char[]){"-h"}, (char[]){"-j"}, JOB,
      (char[]){"-o"}, "%e"},
     ""},
    {{"env", "SLURM_TIME_FORMAT=standard", "scontrol", (char[]){"-o"}, "show", "job", JOB},
     " EndTime="},
};
#define QUESTION_NS UINT64_C(10000000000)

/* Asks Slurm for the end of the job, if this process is in one. True with *program set to the
 * one that knew it. */
static bool ask_slurm(const volatile sig_atomic_t *stop_signal, double *end_s, const char **program)
{
    const char *job = getenv("SLURM_HET_JOB_ID");

    if (job == NULL)
        job = getenv("SLURM_JOB_ID");
    if (job == NULL || *job == '\0' || job[strspn(job, "0123456789")] != '\0')
        return false;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const char *words[9] = {NULL};
        char text[8192];
        const char *at;
        int code;

        for (size_t k = 0; k < 8; k++)
            words[k] = questions[i].words[k] == JOB ? job : questions[i].words[k];
        code = weir_program_read(words, QUESTION_NS, stop_signal, text, sizeof text);
        at = code == 0 ? strstr(text, questions[i].key) : NULL;
        if (at != NULL && read_date(at + strlen(questions[i].key), end_s)) {
            *program = words[2];
            return true;
        }
        /* The controller does not answer the other one either, or the run is to end. */
        if (code == -ETIMEDOUT || code == -EINTR)
            return false;
    }
    return false;
}

/* Reads the end of the job in seconds since 1970. *source is the variable or program that has it;
 * NULL = a signal arrived first. Returns 0 or a usage error. */
static int read_end(const volatile sig_atomic_t *stop_signal, double *end_s, const char **source,
                    struct weir_error *error)
{
    int64_t seconds;

    *source = find_variable();
    if (*source == NULL && (ask_slurm(stop_signal, end_s, source) || *stop_signal != 0))
        return 0;
    if (*source == NULL)
        return weir_error_usage(
            error, "--stop-before",
            "nothing tells when this job ends%s: set WEIR_JOB_END_TIME to that time in seconds "
            "since 1970, as in export WEIR_JOB_END_TIME=$(date -d '+ 25 minutes' +%%s), or leave "
            "it out",
            getenv("SLURM_JOB_ID") != NULL ? ", not even squeue and scontrol" : "");
    if (weir_integer_parse(getenv(*source), &seconds) != 0 || seconds <= 0)
        return weir_error_usage(error, "--stop-before",
                                "%s: \"%s\" is no time in seconds since 1970; unset it, or leave "
                                "--stop-before out",
                                *source, getenv(*source));
    *end_s = (double)seconds;
    return 0;
}

/* Wall clocks tell how long the job may go on, here and now; from then on every node counts by its
 * own timer. */
static int find_rest(const struct weir_plan *plan, const volatile sig_atomic_t *stop_signal,
                     double *rest_s, struct weir_error *error)
{
    const char *source;
    double end_s = 0.0;
    double now_s;
    double before_s = (double)plan->stop_before_ns / NS_PER_S;

    if (read_end(stop_signal, &end_s, &source, error) != 0)
        return error->code;
    /* The engine ends the run in its first phase. */
    if (source == NULL)
        return 0;
    now_s = weir_wall_clock_s();
    *rest_s = end_s - now_s - before_s;
    if (*rest_s > 0.0)
        return 0;
    if (end_s < now_s)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ETIME, "--stop-before",
                              "the job ended %.0f s ago, as %s says: set WEIR_JOB_END_TIME anew, "
                              "or leave --stop-before out",
                              now_s - end_s, source);
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

int weir_deadline_set(struct weir_group *group, const struct weir_plan *plan,
                      const volatile sig_atomic_t *stop_signal, double *rest_s,
                      struct weir_error *error)
{
    int code;

    *rest_s = 0.0;
    if (!plan->has_stop_before)
        return 0;
    if (group->rank == 0)
        find_rest(plan, stop_signal, rest_s, error);
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
