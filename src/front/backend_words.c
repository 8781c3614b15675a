/* SPDX-License-Identifier: Apache-2.0 */
/* Which backend -a means, and what becomes of words that are options of backends. */
#include "common_lowering.h"

#include "weir/base/nearest.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

/* ---- which backend ---- */

struct backend_choice {
    const struct weir_descriptor *descriptor;
    const void *values;
};

static bool is_called(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && strncasecmp(name, text, length) == 0;
}

static bool find_backend(const struct weir_lowering *lowering, const char *name, size_t length,
                         struct backend_choice *choice)
{
    const struct weir_backends *backends = lowering->request->backends;

    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_descriptor *descriptor = backends->descriptors[i];

        if (is_called(descriptor->name, name, length) ||
            is_called(descriptor->alias, name, length) ||
            is_called(descriptor->label, name, length)) {
            *choice = (struct backend_choice){descriptor, lowering->request->backend_values[i]};
            return true;
        }
    }
    return false;
}

/* IOR's own name of a backend, whether it is built or not; NULL if IOR has none like it. */
static const char *known_to_ior(const char *name, size_t length)
{
    static const char *const known[] = {
        "POSIX", "MPIIO", "DUMMY",  "AIO",   "MMAP",     "HDF5",    "NCMPI",
        "DFS",   "RADOS", "CEPHFS", "S3-4c", "S3-libs3", "S3-curl", "HDFS",
        "IME",   "PMDK",  "Gfarm",  "CHFS",  "FINCHFS",  "LIBNFS",
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (is_called(known[i], name, length))
            return known[i];
    }
    return NULL;
}

/* The backend that was probably meant; NULL if none is near. */
static const char *nearest_backend(const struct weir_backends *backends, const char *name,
                                   size_t length)
{
    static const struct {
        const char *theirs;
        const char *ours;
    } others[] = {
        {"O_DIRECT", "direct"}, {"odirect", "direct"}, {"psync", "posix"}, {"sync", "posix"},
        {"pwrite", "posix"},    {"pread", "posix"},    {"MPI", "mpiio"},   {"romio", "mpiio"},
        {"ompio", "mpiio"},     {"verbs", "rdma"},     {"ib", "rdma"},     {"dummy", "null"},
    };
    struct weir_nearest nearest = {.typed = name, .length = length};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_called(others[i].theirs, name, length))
            return others[i].ours;
    for (size_t i = 0; i < backends->count; i++) {
        weir_nearest_offer(&nearest, backends->descriptors[i]->name);
        if (backends->descriptors[i]->alias)
            weir_nearest_offer(&nearest, backends->descriptors[i]->alias);
        weir_nearest_offer(&nearest, backends->descriptors[i]->label);
    }
    return weir_nearest_word(&nearest);
}

/* The option that says which, as this dialect spells it. */
static const char *option_of(const struct weir_lowering *lowering)
{
    const struct weir_option_parser *parser = &lowering->request->parser;

    for (size_t i = 0; i < parser->binding_count; i++)
        if (weir_options_find(parser->bindings[i].set->rows, "backend"))
            return "--backend";
    return "-a";
}

/* "name: reason" of the backend that was left out of this build; NULL if it is none of these. */
static const char *find_left_out(const struct weir_backends *backends, const char *name,
                                 size_t length)
{
    static const struct {
        const char *alias;
        const char *name;
    } aliases[] = {{"aio", "libaio"}, {"io_uring", "uring"}};

    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (is_called(aliases[i].alias, name, length)) {
            name = aliases[i].name;
            length = strlen(name);
        }
    }
    for (const char *const *one = backends->left_out; one != NULL && *one != NULL; one++)
        if (strncasecmp(*one, name, length) == 0 && (*one)[length] == ':')
            return *one;
    return NULL;
}

static int refuse_backend(const struct weir_lowering *lowering, const char *name, size_t length)
{
    const struct weir_backends *backends = lowering->request->backends;
    struct weir_text names = {0};
    const char *known, *nearest, *left_out;
    int failure;

    for (size_t i = 0; i < backends->count; i++)
        weir_text_add(&names, "%s%s", i ? ", " : "", backends->descriptors[i]->name);
    known = known_to_ior(name, length);
    nearest = nearest_backend(backends, name, length);
    left_out = find_left_out(backends, name, length);
    if (left_out)
        failure = weir_error_usage(lowering->error, lowering->place,
                                   "%s: backend %.*s is not in this build%s; there are: %s",
                                   option_of(lowering), (int)strcspn(left_out, ":"), left_out,
                                   strchr(left_out, ':'), weir_text_string(&names));
    else if (known)
        failure = weir_error_usage(lowering->error, lowering->place,
                                   "%s: backend %s is known to IOR, and not built here; there are: "
                                   "%s",
                                   option_of(lowering), known, weir_text_string(&names));
    else
        failure = weir_error_usage(
            lowering->error, lowering->place, "%s: unknown backend \"%.*s\"%s%s%s; there are: %s",
            option_of(lowering), (int)length, name, nearest ? " (did you mean " : "",
            nearest ? nearest : "", nearest ? "?)" : "", weir_text_string(&names));
    weir_text_close(&names);
    return failure;
}

static int choose_inner(const struct weir_lowering *lowering, const struct weir_descriptor *wrapper,
                        const char *name, struct backend_choice *inner)
{
    if (*name == '\0')
        return weir_error_usage(lowering->error, lowering->place,
                                "%s: %s stands around another backend; name it, such as %s:posix",
                                option_of(lowering), wrapper->name, wrapper->name);
    if (!find_backend(lowering, name, strlen(name), inner))
        return refuse_backend(lowering, name, strlen(name));
    if (inner->descriptor->abilities & WEIR_WRAPS)
        return weir_error_usage(lowering->error, lowering->place,
                                "%s: %s cannot stand around %s, which itself stands around another "
                                "backend",
                                option_of(lowering), wrapper->name, inner->descriptor->name);
    return 0;
}

/* -a NAME, or -a WRAPPER:NAME. */
static int choose_backend(const struct weir_lowering *lowering, const char *api)
{
    struct weir_test *test = lowering->test;
    struct backend_choice outer, inner = {0};
    size_t length = strcspn(api, ":");
    bool wraps;

    if (!find_backend(lowering, api, length, &outer))
        return refuse_backend(lowering, api, length);
    wraps = outer.descriptor->abilities & WEIR_WRAPS;
    if (api[length] == ':' && !wraps)
        return weir_error_usage(lowering->error, lowering->place,
                                "%s: %s stands around no other backend; write %s %s",
                                option_of(lowering), outer.descriptor->name, option_of(lowering),
                                outer.descriptor->name);
    test->backend = outer.descriptor;
    test->backend_options = outer.values;
    test->label = outer.descriptor->label;
    if (!wraps)
        return 0;
    if (choose_inner(lowering, outer.descriptor, api + length + (api[length] == ':'), &inner))
        return -EINVAL;
    assert(inner.descriptor != NULL);
    test->inner = inner.descriptor;
    test->inner_options = inner.values;
    test->label = weir_arena_printf(&lowering->plan->arena, "%s:%s", outer.descriptor->label,
                                    inner.descriptor->label);
    return 0;
}

/* ---- options as typed ---- */

const char *weir_lower_given(const struct weir_lowering *lowering,
                             const struct weir_option_set *set, const void *values,
                             const char *const names[])
{
    struct weir_arena *arena = &lowering->plan->arena;
    const char *given = "";

    for (; *names; names++) {
        const struct weir_option *row = weir_options_find(set->rows, *names);
        const char *typed = weir_options_spelling(&lowering->request->parser, *names, NULL);

        assert(row != NULL);
        if (typed && weir_options_is_changed(row, values))
            given = weir_arena_printf(arena, "%s%s%s", given, *given ? ", " : "", typed);
    }
    return given;
}

/* ---- options of backends ---- */

static bool has_row(const struct weir_descriptor *backend, const char *name)
{
    return backend && weir_options_find(backend->options.rows, name);
}

/* An option may be of several backends, and one that bypasses the cache does what posix.odirect
 * asks for. */
static bool is_of_use(const struct weir_test *test, const struct weir_option *row)
{
    return has_row(test->backend, row->name) || has_row(test->inner, row->name) ||
           (strcasecmp(row->name, "posix.odirect") == 0 &&
            weir_test_abilities(test) & WEIR_BYPASSES_CACHE);
}

static bool is_row_of_earlier(const struct weir_backends *backends, size_t count, const char *name)
{
    bool is_found = false;

    for (size_t i = 0; i < count && !is_found; i++)
        is_found = has_row(backends->descriptors[i], name);
    return is_found;
}

/* The option that the user typed for a row of a backend. */
static const char *spelling_of(const struct weir_lowering *lowering, const char *row)
{
    const char *typed = weir_options_spelling(&lowering->request->parser, row, NULL);

    return typed ? typed : weir_arena_printf(&lowering->plan->arena, "--%s", row);
}

/* Options of other backends change nothing, which may not be what was meant. An option that several
 * have is named with the first. */
static void remark_unused_options(const struct weir_lowering *lowering)
{
    const struct weir_backends *backends = lowering->request->backends;

    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_descriptor *backend = backends->descriptors[i];
        const void *values = lowering->request->backend_values[i];
        const struct weir_option *row = backend->options.rows;

        for (; row && (row->letter || row->name); row++) {
            if (row->name && weir_options_is_changed(row, values) &&
                !is_of_use(lowering->test, row) && !is_row_of_earlier(backends, i, row->name))
                weir_plan_add_remark(lowering->plan, lowering->test,
                                     "%s: an option of backend %s, and %s %s: it changes nothing",
                                     spelling_of(lowering, row->name), backend->label,
                                     lowering->users ? lowering->users : "this test uses",
                                     lowering->test->label);
        }
    }
}

/* Options of the test's own backend that concern operations which a test of this kind never makes.
 * Those of a program are reset: a session would report them as granted. */
static int remark_idle_options(const struct weir_lowering *lowering, enum weir_work work)
{
    static const char opens[] = "a program opens files without a size or a part of their own";
    static const char flies[] = "a program has one call in flight";
    static const char waits[] = "the calls of a program may block";
    static const struct {
        const char *name;
        unsigned works; /* of enum weir_work: those in which it changes nothing */
        const char *reason;
    } idle[] = {
        {"dummy.delay-stat", WEIR_WORK_FILES, "no item of a tree is stat'ed"},
        {"dummy.delay-remove", WEIR_WORK_FILES, "no item of a tree is removed"},
        {"dummy.delay-sync", WEIR_WORK_OBJECTS, "objects are not synced"},
        {"rdma.flush", WEIR_WORK_OBJECTS, "objects are not synced"},
        {"uring.nowait", WEIR_WORK_CALLS, waits},
        {"uring.entries", WEIR_WORK_CALLS, flies},
        {"uring.fixed-files", WEIR_WORK_TREES | WEIR_WORK_OBJECTS,
         "files of trees are never registered"},
        {"uring.fixed-files", WEIR_WORK_CALLS, "files of a program are not registered"},
        {"libaio.nowait", WEIR_WORK_CALLS, waits},
        {"libaio.entries", WEIR_WORK_CALLS, flies},
        {"mpiio.showHints", WEIR_WORK_CALLS, opens},
        {"mpiio.preallocate", WEIR_WORK_CALLS, opens},
        {"mpiio.useFileView", WEIR_WORK_CALLS, opens},
        {"mpiio.useStridedDatatype", WEIR_WORK_CALLS, opens},
    };
    const void *values = weir_test_options(lowering->test);

    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        const struct weir_option *row =
            idle[i].works & work ? weir_options_find(lowering->loop->options.rows, idle[i].name)
                                 : NULL;

        if (!row || !weir_options_is_changed(row, values))
            continue;
        WEIR_REMARK(lowering, "%s: %s: it changes nothing", spelling_of(lowering, row->name),
                    idle[i].reason);
        if (work == WEIR_WORK_CALLS &&
            weir_options_assign(&lowering->request->parser, lowering->place, row->name,
                                row->standard ? row->standard : "0", lowering->error))
            return -EINVAL;
    }
    return 0;
}

static const char *direct_option_of(const struct weir_lowering *lowering)
{
    const char *option = lowering->request->direct_option;

    return option ? option : "--direct";
}

/* Other backends may ignore options of the original, and --direct is none. It is a remark where the
 * dialect, and not the user, has chosen the backend. */
static int refuse_cached(const struct weir_lowering *lowering)
{
    if (!lowering->request->common.is_direct || lowering->users ||
        has_row(lowering->loop, "posix.odirect") ||
        weir_test_abilities(lowering->test) & WEIR_BYPASSES_CACHE)
        return 0;
    return weir_error_usage(lowering->error, lowering->place,
                            "%s: backend %s has no transfers past the page cache; leave it "
                            "out, or choose another backend, such as posix or direct",
                            direct_option_of(lowering), lowering->test->label);
}

/* ---- all of it ---- */

int weir_lower_backend_option(struct weir_lowering *lowering, const char *row, const char *value,
                              const char *option)
{
    const struct weir_option_parser *parser = &lowering->request->parser;
    int failure = weir_options_assign(parser, lowering->place, row, value, lowering->error);

    if (!failure)
        weir_options_spell(parser, row, option);
    return failure;
}

int weir_lower_backend(struct weir_lowering *lowering, const char *api, enum weir_work work)
{
    /* Several backends have this option. */
    int failure =
        lowering->request->common.is_direct
            ? weir_lower_backend_option(lowering, "posix.odirect", "1", direct_option_of(lowering))
            : 0;

    if (!failure)
        failure = choose_backend(lowering, api);
    if (failure)
        return failure;
    lowering->loop = lowering->test->inner ? lowering->test->inner : lowering->test->backend;
    if (refuse_cached(lowering))
        return -EINVAL;
    remark_unused_options(lowering);
    return remark_idle_options(lowering, work);
}

int weir_lower_dry_run(const struct weir_lowering *lowering)
{
    struct backend_choice none;

    if (!find_backend(lowering, "null", strlen("null"), &none))
        return weir_error_usage(lowering->error, lowering->place,
                                "dryRun: the backend null was not built");
    lowering->test->backend = none.descriptor;
    lowering->test->backend_options = none.values;
    lowering->test->inner = NULL;
    lowering->test->inner_options = NULL;
    return 0;
}
