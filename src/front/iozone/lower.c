/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of IOzone's options: one command line becomes tests for each number of children, or
 * each size of file and record. */
#include "lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define KB UINT64_C(1024)
#define SETTINGS_MAX 32
#define WRITING (1U << 0 | 1U << 2 | 1U << 4 | 1U << 6 | 1U << 8 | 1U << 9)
#define READING (1U << 1 | 1U << 2 | 1U << 3 | 1U << 5 | 1U << 7 | 1U << 8 | 1U << 10)
#define IN_MEMORY "through a mapping"

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)
#define REMARK(lowering, ...) WEIR_REMARK(&(lowering)->base, __VA_ARGS__)

/* ---- what is refused ---- */

static bool uses_mapping(const struct weir_iozone_config *config)
{
    return config->uses_mmap || config->syncs_map_later;
}

static int check_mode(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;

    if (config->children && (config->least_children || config->most_children))
        return REFUSE(lowering, "-t: -l and -u say how many children there are; give one of both");
    if (!lowering->is_throughput && (config->files || config->name_list))
        return REFUSE(lowering, "%s: files of children; give -t, or -f for one stream",
                      GIVEN(lowering, "files", "name-list"));
    if (lowering->is_throughput && config->in_microseconds)
        return REFUSE(lowering, "-N: times of one stream; with several children use -O, and "
                                "--result FILE keeps latencies");
    if (lowering->is_throughput && config->file)
        return REFUSE(lowering, "-f: the file of one stream; with several children use -F");
    if (lowering->is_throughput && config->remount)
        return REFUSE(lowering, "-U: remounts for one stream; with several children use "
                                "--drop-caches node");
    if (config->remount && strchr(config->remount, '\''))
        return REFUSE(lowering, "-U: %s has a quote in it", config->remount);
    if (config->in_ops && config->in_microseconds)
        return REFUSE(lowering, "-O, -N: rates or times; leave one of the two out");
    return 0;
}

static int check_backend(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    bool is_aio = config->aio_depth > 0 || config->aio_copy_depth > 0;
    bool is_given = strcasecmp(lowering->request->additions.backend, "POSIX") != 0;

    if (config->aio_depth > 0 && config->aio_copy_depth > 0)
        return REFUSE(lowering, "-H, -k: both say how many transfers are in flight; leave one out");
    if (is_aio && uses_mapping(config))
        return REFUSE(lowering,
                      "-H, -k: " IN_MEMORY " (-B, -D) nothing is in flight; leave one out");
    if (is_given && (is_aio || uses_mapping(config)))
        return REFUSE(lowering, "--backend: -B, -D, -H and -k name a backend; leave one out");
    if (is_aio && lowering->base.request->common.depth)
        return REFUSE(lowering, "--depth: -H and -k say so; leave one of the two out");
    if (config->locks_file && config->locks_records)
        return REFUSE(lowering, "-W, -+l: the file is locked whole, or record by record; leave one "
                                "of the two out");
    if (config->rate > 0 && lowering->base.request->common.rate)
        return REFUSE(lowering, "--rate: -+O is a rate; leave one of the two out");
    if (config->rate > 0 && config->think_ns > 0)
        return REFUSE(lowering, "-+O: -J says when operations begin; leave one of the two out");
    return 0;
}

static int check_tests(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;

    if (config->is_foreign && config->tests == NULL)
        return REFUSE(lowering, "-+E: say which tests read the files, with -i");
    if (config->is_foreign && lowering->selected & WRITING)
        return REFUSE(lowering, "-+E: tests 0, 2, 4, 6, 8 and 9 write; leave them or -+E out");
    if (config->is_foreign && !config->file && !config->files && !config->name_list)
        return REFUSE(lowering, "-+E: name the files that are there, with -f or -F");
    if (config->readers > 0 && config->read_percent > 0)
        return REFUSE(lowering, "-+K, -+p: both say how many children read; leave one out");
    if ((config->verifies || config->pattern) && config->is_foreign)
        return REFUSE(lowering, "-V, -+d: data of others cannot be verified; leave -+E out");
    for (unsigned part = 0; part < WEIR_IOZONE_PARTS; part++)
        if (weir_iozone_has_part(lowering, part))
            return 0;
    return REFUSE(lowering, "-i: %s: leave -i out for all tests",
                  lowering->is_throughput ? "test 4 is of one stream" : "test 8 is of children");
}

static int check_verification(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    const struct weir_verification verification = {
        .option = config->verifies ? "-+d" : "-V",
        .payload = &lowering->payload,
        .bytes = lowering->record_bytes,
        .maker = lowering->selected & WRITING ? NULL : "-i 0",
    };

    if ((!config->verifies && !config->pattern) || !(lowering->selected & READING))
        return 0;
    return weir_lower_verification(&verification, lowering->base.place, lowering->base.error);
}

/* ---- what changes nothing ---- */

static void remark(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    const char *unused = GIVEN(lowering, "multi-buffer", "silent", "time-stamps");
    const char *print_only =
        GIVEN(lowering, "controller", "host-name", "port", "time-host", "time-port");
    const char *cache = GIVEN(lowering, "cache-size", "line-size");
    const char *bounds =
        GIVEN(lowering, "smallest-file", "largest-file", "smallest-record", "largest-record");
    const char *mix = GIVEN(lowering, "sequential-mix", "mix-readers", "mix-read-percent");

    if (config->unused)
        REMARK(lowering, "%s: %s; --result FILE has starts and ends", unused, WEIR_IDLE(unused));
    if (config->print_only)
        REMARK(lowering, "%s: MPI starts the ranks and their clocks are synchronised: %s",
               print_only, WEIR_IDLE(print_only));
    if (config->has_threads)
        REMARK(lowering, "-T: children are ranks, and as many as the launcher has started");
    if (config->first_processor >= 0)
        REMARK(lowering, "-P: changes nothing; --pin core binds ranks");
    if (config->cache_kb != 1024 || config->line_bytes != 32)
        REMARK(lowering, "%s: printed alone: %s", cache, WEIR_IDLE(cache));
    if (config->is_sync || config->is_dsync || config->is_rsync)
        REMARK(lowering, "%s: each write is followed by fsync; files are not opened with O_SYNC",
               GIVEN(lowering, "sync", "dsync", "rsync"));
    if (config->syncs_map && !uses_mapping(config))
        REMARK(lowering, "-G: without -B or -D nothing is mapped: it changes nothing");
    if (config->syncs_map_later)
        REMARK(lowering, "-D: the kernel writes what is mapped when it likes; -e or -G syncs it");
    if (lowering->is_throughput && !config->has_no_wall && !weir_iozone_has_wall(lowering))
        REMARK(lowering, "-+O, --rate, --depth auto: there is no stonewall: all children do all");
    if (weir_iozone_has_bounds(config) && !lowering->is_auto)
        REMARK(lowering, "%s: sizes of auto mode: without -a %s", bounds, WEIR_IDLE(bounds));
    if (config->has_no_wall && !lowering->is_throughput)
        REMARK(lowering, "-x: one stream has no stonewall: it changes nothing");
    if (config->stagger_ns > 0 && !lowering->is_throughput)
        REMARK(lowering, "-d: one stream starts alone: it changes nothing");
    if (config->has_pwrite && lowering->is_throughput)
        REMARK(lowering, "-E: of one stream: it changes nothing with children");
    if (config->counts_think && config->think_ns == 0 &&
        lowering->writes.listing.pauses_ns + lowering->reads.listing.pauses_ns == 0)
        REMARK(lowering, "-+J: without -J there are no pauses: it changes nothing");
    if ((config->readers || config->read_percent || config->mixes_in_order) &&
        !(lowering->is_throughput && lowering->selected & 1U << 8))
        REMARK(lowering, "%s: test 8 is not run: %s", mix, WEIR_IDLE(mix));
}

/* ---- settings that the report reads ---- */

static void set(struct weir_test *test, const char *key, const char *value)
{
    struct weir_setting *settings = (struct weir_setting *)test->settings;

    settings[test->setting_count++] = (struct weir_setting){key, value};
}

static void set_number(const struct weir_iozone_lowering *lowering, const char *key, uint64_t value)
{
    set(lowering->base.test, key,
        weir_arena_printf(&lowering->base.plan->arena, "%" PRIu64, value));
}

static void set_flag(const struct weir_iozone_lowering *lowering, const char *key, int64_t value)
{
    set(lowering->base.test, key, value > 0 ? "1" : "0");
}

static void lower_settings(struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    struct weir_arena *arena = &lowering->base.plan->arena;
    struct weir_test *test = lowering->base.test;

    test->settings = weir_arena_take(arena, SETTINGS_MAX * sizeof *test->settings);
    set(test, "tests", weir_arena_copy(arena, weir_text_string(&lowering->words)));
    set(test, "mode",
        lowering->is_throughput ? "throughput" : (lowering->is_auto ? "auto" : "single"));
    set(test, "unit", config->in_ops ? "ops" : (config->in_microseconds ? "us" : "kb"));
    set_number(lowering, "children", lowering->children);
    set_number(lowering, "file-kb", lowering->file_bytes / KB);
    set_number(lowering, "record-kb",
               config->write_list || config->read_list ? 0 : lowering->record_bytes / KB);
    set_number(lowering, "stride", (uint64_t)config->stride);
    set_number(lowering, "cache-kb", (uint64_t)config->cache_kb);
    set_number(lowering, "line-bytes", (uint64_t)config->line_bytes);
    if (config->least_children || config->most_children) {
        set_number(lowering, "least-children", lowering->counts.values[0]);
        set_number(lowering, "most-children", lowering->counts.values[lowering->counts.count - 1]);
    }
    /* The heading of the Excel text has the whole range, of one row as well. */
    if (!lowering->is_throughput && !config->records && !config->write_list && !config->read_list) {
        uint64_t least = 4 * KB, most = 16 * KB * KB;

        if (lowering->is_auto) {
            least = lowering->records.values[0];
            most = lowering->records.values[lowering->records.count - 1];
        }
        set_number(lowering, "smallest-record", least);
        set_number(lowering, "largest-record", most);
        set_number(lowering, "growth", (uint64_t)config->growth);
    }
    set_flag(lowering, "cpu", config->has_cpu);
    set_flag(lowering, "child-lines", config->has_child_lines);
    set_flag(lowering, "excel", config->has_excel || config->excel_path);
    set_flag(lowering, "short-table", config->is_old_auto);
    set_flag(lowering, "has-pwrite", (lowering->selected & 3U << 9) != 0);
    set_flag(lowering, "no-retest", config->no_retest);
    set_flag(lowering, "clustered", config->host_list != NULL);
    set_flag(lowering, "threads", config->has_threads);
    if (config->read_list || config->write_list)
        set(test, "compute-time",
            weir_arena_printf(arena, "%s%s",
                              config->read_list ? "from telemetry files for reads.\n" : "",
                              config->write_list ? "from telemetry files for writes.\n" : ""));
    else if (config->think_ns > 0)
        set(test, "compute-time",
            weir_arena_printf(arena, "%.6f seconds for reads and writes.\n",
                              (double)config->think_ns / 1e9));
    if (config->excel_path)
        set(test, "excel-file", config->excel_path);
    if (lowering->request->splash)
        set(test, "splash", lowering->request->splash);
}

/* ---- one test ---- */

static const char *backend_of(const struct weir_iozone_lowering *lowering,
                              enum weir_iozone_part part)
{
    const struct weir_iozone_config *config = lowering->config;

    if (part == WEIR_IOZONE_STREAM)
        return "stdio";
    if (uses_mapping(config))
        return "mmap";
    return config->aio_depth || config->aio_copy_depth ? "libaio"
                                                       : lowering->request->additions.backend;
}

static unsigned depth_of(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    int64_t depth = config->aio_depth ? config->aio_depth : config->aio_copy_depth;

    if (depth > 0)
        return (unsigned)depth;
    return lowering->base.loop->standard_depth > 0 ? lowering->base.loop->standard_depth : 1;
}

static void lower_limits(const struct weir_iozone_lowering *lowering)
{
    const struct weir_iozone_config *config = lowering->config;
    struct weir_test *test = lowering->base.test;
    bool must_keep = test->must_keep;

    weir_lower_limits(&lowering->base);
    test->must_keep = must_keep;
    test->rank_limit = lowering->children;
    test->rank_csv_path = config->excel_path;
    if (config->has_latency_files) {
        test->op_csv_prefix = lowering->is_throughput ? "Child_" : "./";
        test->op_csv_is_of_first = !lowering->is_throughput;
    }
    test->side_directories = lowering->directories;
    if (config->has_histograms)
        test->rank_histogram_prefix = "Iozone_histogram_child_";
}

static int lower_backend(struct weir_iozone_lowering *lowering, enum weir_iozone_part part)
{
    const struct weir_iozone_config *config = lowering->config;
    bool is_stream = part == WEIR_IOZONE_STREAM;
    static const char *const advices[] = {NULL, "random", "sequential", "dontneed", "willneed"};
    const struct {
        bool is_asked;
        const char *row, *value, *option;
    } words[] = {
        {config->is_direct, "posix.odirect", "1", "-I"},
        {config->locks_file, "posix.filelock", "1", "-W"},
        {config->locks_records, "posix.rangelocks", "1", "-+l"},
        {config->advice > 0, "mmap.advice", advices[config->advice], "-+A"},
    };
    bool needs_locks = !is_stream && (config->locks_file || config->locks_records);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].is_asked && weir_lower_backend_option(&lowering->base, words[i].row,
                                                           words[i].value, words[i].option))
            return -EINVAL;
    lowering->base.users = is_stream ? "tests 6 and 7 use" : NULL;
    if (weir_lower_backend(&lowering->base, backend_of(lowering, part), WEIR_WORK_FILES))
        return -EINVAL;
    /* What has ranges alone has them to refuse them. */
    if (needs_locks && !weir_options_find(lowering->base.loop->options.rows, "posix.filelock"))
        return REFUSE(lowering, "%s: backend %s has no locks; leave it out, or use backend posix",
                      config->locks_file ? "-W" : "-+l", lowering->base.test->label);
    return 0;
}

static int lower_test(struct weir_iozone_lowering *lowering, enum weir_iozone_part part,
                      bool is_last)
{
    struct weir_plan *plan = lowering->base.plan;

    lowering->base.test = weir_plan_add_test(plan);
    lowering->payload = weir_lower_payload(&lowering->request->base, "timestamp", 0, 0);
    lowering->words.length = 0;
    if (lower_backend(lowering, part) || weir_lower_load(&lowering->base, depth_of(lowering)) ||
        check_verification(lowering))
        return -EINVAL;
    weir_iozone_lower_phases(lowering, part, is_last);
    if (weir_lower_place(&lowering->base))
        return -EINVAL;
    remark(lowering);
    lower_limits(lowering);
    lower_settings(lowering);
    return 0;
}

/* ---- all tests of one number of children, or of one size ---- */

static int lower_row(struct weir_iozone_lowering *lowering)
{
    struct weir_target *target = weir_arena_take(&lowering->base.plan->arena, sizeof *target);
    unsigned last = 0;

    if (lowering->record_bytes > lowering->file_bytes)
        return REFUSE(lowering,
                      "-r: a record of %" PRIu64 " kB is larger than the file of %" PRIu64
                      " kB: give -s more, or -r less",
                      lowering->record_bytes / KB, lowering->file_bytes / KB);
    target->paths = lowering->paths;
    target->path_count = lowering->path_count;
    target->has_exact_names = true;
    target->file_mode = 0640; /* as IOzone's */
    lowering->target = target;
    for (unsigned part = 0; part < WEIR_IOZONE_PARTS; part++)
        if (weir_iozone_has_part(lowering, part))
            last = part;
    for (unsigned part = 0; part <= last; part++)
        if (weir_iozone_has_part(lowering, part) && lower_test(lowering, part, part == last))
            return -EINVAL;
    return 0;
}

static int lower_children(struct weir_iozone_lowering *lowering)
{
    lowering->record_bytes = lowering->records.values[0];
    for (size_t i = 0; i < lowering->counts.count; i++) {
        lowering->children = lowering->counts.values[i];
        lowering->file_bytes = lowering->sizes.values[0];
        if (lowering->config->splits_total)
            lowering->file_bytes /= lowering->children;
        if (lower_row(lowering))
            return -EINVAL;
    }
    return 0;
}

static int lower_sizes(struct weir_iozone_lowering *lowering)
{
    lowering->children = 1;
    for (size_t i = 0; i < lowering->sizes.count; i++)
        for (size_t j = 0; j < lowering->records.count; j++) {
            lowering->file_bytes = lowering->sizes.values[i];
            lowering->record_bytes = lowering->records.values[j];
            if (!weir_iozone_is_skipped(lowering, lowering->file_bytes, lowering->record_bytes) &&
                lower_row(lowering))
                return -EINVAL;
        }
    if (lowering->base.plan->test_count == 0)
        return REFUSE(lowering, "-y, -n: no record fits into a file; give smaller records");
    return 0;
}

static uint64_t most_of(const struct weir_iozone_list *counts)
{
    uint64_t most = 0;

    for (size_t i = 0; i < counts->count; i++)
        most = counts->values[i] > most ? counts->values[i] : most;
    return most;
}

/* ---- output ---- */

int weir_iozone_read_style(const char *word, const char *place, struct weir_error *error,
                           const char **style)
{
    if (strcmp(word, "3.420") == 0)
        *style = "IOzone 3.420";
    else if (strcmp(word, WEIR_IOZONE_RELEASE) == 0)
        *style = NULL;
    else
        return weir_error_usage(error, place,
                                "--compat: the layout of IOzone %s is not known; there are 3.420 "
                                "and " WEIR_IOZONE_RELEASE,
                                word);
    return 0;
}

static int lower_output(struct weir_output *output, const struct weir_iozone_request *request,
                        struct weir_error *error)
{
    const char *format = request->additions.summary_format;

    output->reporter = weir_lower_reporter(format, WEIR_IOZONE_REPORTER);
    output->summary_path = request->additions.summary_path;
    if (weir_lower_output(output, &request->base, error))
        return -EINVAL;
    return weir_iozone_read_style(request->additions.compat, request->base.parser.place, error,
                                  &output->style);
}

int weir_iozone_lower(struct weir_plan *plan, const struct weir_iozone_request *request,
                      struct weir_error *error)
{
    struct weir_iozone_lowering lowering = {
        .base = {.plan = plan,
                 .request = &request->base,
                 .place = request->base.parser.place,
                 .error = error},
        .request = request,
        .config = &request->config,
    };
    const struct weir_option_spelling *typed = request->base.spellings;
    int failure = -EINVAL;

    /* The parser has recorded the names that weir_iozone_spell() gave it in place of letters. */
    for (; typed != NULL; typed = typed->earlier)
        if (typed->typed[0] == '-' && typed->typed[1] != '-')
            weir_options_spell(&request->base.parser, typed->row->name, typed->typed);
    if (weir_iozone_lower_sizes(&lowering) == 0 && check_mode(&lowering) == 0 &&
        check_backend(&lowering) == 0 && check_tests(&lowering) == 0 &&
        weir_iozone_lower_files(&lowering, most_of(&lowering.counts)) == 0)
        failure = lowering.is_throughput ? lower_children(&lowering) : lower_sizes(&lowering);
    weir_text_close(&lowering.words);
    plan->rank_need = most_of(&lowering.counts);
    return failure ? failure : lower_output(&plan->output, request, error);
}
