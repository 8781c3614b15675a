/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the report of a run whose plan and numbers stand on standard input, a word and its values
 * in each line: tell_iozone REPORTER|file < SCENE. With WEIR_TELL_ALL, with our own block. */
#include "weir/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MAX 64
#define TESTS_MAX 256

static struct weir_plan *plan;
static struct weir_result *result;
static struct weir_setting settings[SETTINGS_MAX];
static size_t setting_count;
static unsigned sweep_step;
static struct weir_descriptor backend = {.name = "posix", .label = "POSIX", .version = ""};

/* ---- the plan ---- */

static void set(char *key, char *value)
{
    size_t i = 0;

    for (char *bar = value; (bar = strchr(bar, '|')) != NULL;)
        *bar = '\n';
    while (i < setting_count && strcmp(settings[i].key, key) != 0)
        i++;
    setting_count += i == setting_count;
    settings[i] = (struct weir_setting){weir_arena_copy(&plan->arena, key),
                                        weir_arena_copy(&plan->arena, value)};
}

static void add_test(unsigned ranks)
{
    struct weir_test *test = weir_plan_add_test(plan);
    struct weir_test_result *begun = &result->tests[result->test_count++];
    struct weir_setting *own = weir_arena_take(&plan->arena, setting_count * sizeof *own);

    memcpy(own, settings, setting_count * sizeof *own);
    test->settings = own;
    test->setting_count = setting_count;
    test->dialect = "iozone";
    test->sweep_step = sweep_step;
    test->backend = &backend;
    test->label = backend.label;
    *begun = (struct weir_test_result){
        .test = test->number, .rank_count = ranks, .node_count = 1, .ranks_per_node = ranks};
}

/* ---- numbers ---- */

/* The last one whose rows are still to come. */
static struct weir_rank_row *rows;

/* "phase VERB CHILDREN SUM MIN MAX MINXFER PARENT CPU% [FAILURE]": in kB and operations alike. */
static void add_phase(char *values)
{
    struct weir_test *test = plan->tests[plan->test_count - 1];
    double sum, min, max, min_xfer, parent, cpu;
    unsigned ranks;
    char verb[32], failure[64] = "";
    struct weir_phase_result *done;
    static const char *const paths[] = {"iozone.tmp"};
    static const struct weir_target target = {.paths = paths, .path_count = 1};
    struct weir_phase phase = {
        .target = &target,
        .depth = 1,
        .transfers = {.layout = {.segment_count = 1, .block_bytes = 4096, .transfer_bytes = 4096},
                      .batch = 1,
                      .has_inner_barriers = true}};
    const struct weir_phase *planned;

    if (sscanf(values, "%31s %u %lf %lf %lf %lf %lf %lf %63s", verb, &ranks, &sum, &min, &max,
               &min_xfer, &parent, &cpu, failure) < 8)
        exit(2);
    phase.verb = strstr(verb, "write") != NULL ? WEIR_WRITE
                 : strcmp(verb, "-") == 0      ? WEIR_REMOVE
                                               : WEIR_READ;
    planned = weir_plan_add_phase(plan, test, &test->steps, &phase);
    done = weir_result_add_phase(result);
    done->test = test->number;
    done->phase = planned->number;
    done->rank_count = ranks;
    done->node_count = 1;
    done->submission = done->response = NULL;
    done->write_latency = done->read_latency = NULL;
    done->failure = weir_arena_copy(&plan->arena, failure);
    done->outcome = failure[0] != '\0' ? WEIR_OUTCOME_PARTIAL : WEIR_OUTCOME_COMPLETE;
    /* Opening takes a second that is nobody's. */
    done->windows = (struct weir_windows){.open_s = 1.0, .transfer_s = 99.0, .total_s = 101.0};
    done->byte_count = (uint64_t)llround(parent * 100.0 * 1024.0);
    done->op_count = (uint64_t)llround(parent * 100.0);
    done->counted = (struct weir_counted){
        .bytes_per_s_sum = sum * 1024.0,
        .bytes_per_s_min = min * 1024.0,
        .bytes_per_s_max = max * 1024.0,
        .ops_per_s_sum = sum,
        .ops_per_s_min = min,
        .ops_per_s_max = max,
        .bytes_min = (uint64_t)llround(min_xfer * 1024.0),
        .ops_min = (uint64_t)llround(min_xfer),
        .cpu_s = cpu,
    };
    rows = weir_arena_take(&plan->arena, ranks * sizeof *rows);
}

/* "child RANK XFER RATE" */
static void add_child(char *values)
{
    double xfer, rate;
    unsigned rank;

    if (sscanf(values, "%u %lf %lf", &rank, &xfer, &rate) != 3)
        exit(2);
    rows[rank].counted_bytes = (uint64_t)llround(xfer * 1024.0);
    rows[rank].counted_ops = (uint64_t)llround(xfer);
    rows[rank].counted_ns = rate > 0.0 ? (uint64_t)llround(xfer / rate * 1e9) : 0;
    result->phases[result->phase_count - 1].rows = rows;
}

/* "derive": the figures of the latest phase from the lines of its children, as a run has them. */
static void derive_phase(void)
{
    struct weir_phase_result *done = &result->phases[result->phase_count - 1];

    done->counted = weir_counted_derive(done->rows, done->rank_count);
}

/* ---- all ---- */

static void read_line(char *line)
{
    char *value = strchr(line, ' ');

    line[strcspn(line, "\n")] = '\0';
    if (value != NULL)
        *value++ = '\0';
    if (strcmp(line, "style") == 0)
        plan->output.style = weir_arena_copy(&plan->arena, value);
    else if (strcmp(line, "backend") == 0)
        backend.name = weir_arena_copy(&plan->arena, value);
    else if (strcmp(line, "begun") == 0)
        result->begun_s = strtod(value, NULL);
    else if (strcmp(line, "interrupted") == 0)
        result->is_interrupted = true;
    else if (strcmp(line, "test") == 0)
        add_test((unsigned)strtoul(value, NULL, 10));
    else if (strcmp(line, "sweep-step") == 0)
        sweep_step = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(line, "phase") == 0)
        add_phase(value);
    else if (strcmp(line, "child") == 0)
        add_child(value);
    else if (strcmp(line, "derive") == 0)
        derive_phase();
    else if (value != NULL && strcmp(line, "set") == 0) {
        char *rest = strchr(value, ' ');

        if (rest != NULL)
            *rest++ = '\0';
        set(value, rest != NULL ? rest : value + strlen(value));
    } else
        exit(2);
}

/* The file of -b, which grows phase by phase. */
static void tell_file(struct weir_text *text)
{
    struct weir_rank_csv held = {0};

    weir_text_add(text, "%s", weir_rank_csv_header(plan, 0));
    for (unsigned i = 0; i < result->phase_count; i++)
        weir_rank_csv_add(&held, text, plan, &result->phases[i]);
    weir_rank_csv_end(&held, text, plan, 0);
}

int main(int count, char *words[])
{
    struct weir_text text = {0};
    char line[8192];
    const char *argv[256];
    char *rest = NULL;
    int word_count = 0;

    if (count != 2 || fgets(line, sizeof line, stdin) == NULL)
        return 2;
    /* The first line is the command line. */
    for (char *word = strtok_r(line, " \n", &rest); word != NULL && word_count < 256;
         word = strtok_r(NULL, " \n", &rest))
        argv[word_count++] = strdup(word);
    plan = weir_plan_open("iozone", word_count, argv);
    result = weir_result_open(TESTS_MAX);
    plan->output.reporter = words[1];
    plan->output.is_plain = getenv("WEIR_TELL_ALL") == NULL;
    plan->output.has_details = true;
    result->finished_s = 2e9;
    result->host = (struct weir_host_facts){"Linux", "vm", "6.1.0", "#1 SMP", "x86_64"};
    while (fgets(line, sizeof line, stdin) != NULL)
        read_line(line);
    if (strcmp(words[1], "file") == 0)
        tell_file(&text);
    else
        weir_report_whole(&text, plan, result);
    fputs(weir_text_string(&text), stdout);
    weir_text_close(&text);
    weir_plan_close(plan);
    weir_result_close(result);
    for (int i = 0; i < word_count; i++)
        free((void *)argv[i]);
    return 0;
}
