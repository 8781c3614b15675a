/* SPDX-License-Identifier: Apache-2.0 */
/* Which backend -a means, and what becomes of words that are options of backends. */
#include "lowering.h"

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

static bool find_backend(const struct weir_ior_lowering *lowering, const char *name, size_t length,
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

static int refuse_backend(const struct weir_ior_lowering *lowering, const char *name, size_t length)
{
    const struct weir_backends *backends = lowering->request->backends;
    struct weir_text names = {0};
    const char *known, *nearest;
    int failure;

    for (size_t i = 0; i < backends->count; i++)
        weir_text_add(&names, "%s%s", i ? ", " : "", backends->descriptors[i]->name);
    known = known_to_ior(name, length);
    nearest = nearest_backend(backends, name, length);
    if (known)
        failure = weir_error_usage(lowering->error, lowering->place,
                                   "-a: backend %s is known to IOR, and not built here; there are: "
                                   "%s",
                                   known, weir_text_string(&names));
    else
        failure = weir_error_usage(lowering->error, lowering->place,
                                   "-a: unknown backend \"%.*s\"%s%s%s; there are: %s", (int)length,
                                   name, nearest ? " (did you mean " : "", nearest ? nearest : "",
                                   nearest ? "?)" : "", weir_text_string(&names));
    weir_text_close(&names);
    return failure;
}

static int choose_inner(const struct weir_ior_lowering *lowering,
                        const struct weir_descriptor *wrapper, const char *name,
                        struct backend_choice *inner)
{
    if (*name == '\0')
        return weir_error_usage(lowering->error, lowering->place,
                                "-a: %s stands around another backend; name it, such as %s:posix",
                                wrapper->name, wrapper->name);
    if (!find_backend(lowering, name, strlen(name), inner))
        return refuse_backend(lowering, name, strlen(name));
    if (inner->descriptor->abilities & WEIR_WRAPS)
        return weir_error_usage(lowering->error, lowering->place,
                                "-a: %s cannot stand around %s, which itself stands around another "
                                "backend",
                                wrapper->name, inner->descriptor->name);
    return 0;
}

/* -a NAME, or -a WRAPPER:NAME. */
static int choose_backend(const struct weir_ior_lowering *lowering, const char *api)
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
                                "-a: %s stands around no other backend; write -a %s",
                                outer.descriptor->name, outer.descriptor->name);
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

/* A dry run keeps the label and runs against nothing. */
static int choose_no_backend(const struct weir_ior_lowering *lowering)
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

/* Options of other backends change nothing, which may not be what was meant. An option that several
 * have is named with the first. */
static void remark_unused_options(const struct weir_ior_lowering *lowering)
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
                                     "--%s: an option of backend %s, and this test uses %s: it "
                                     "changes nothing",
                                     row->name, backend->label, lowering->test->label);
        }
    }
}

/* Words of older versions for backends that are not built, which did nothing with others either. */
static int lower_unused_words(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    const struct {
        const char *word;
        const char *backends;
        bool is_given;
    } words[] = {
        {"-I", "backend HDF5", ior->individual_data_sets > 0},
        {"-J", "backend HDF5", ior->alignment_bytes != 1},
        {"-n", "backends HDF5 and NCMPI", ior->no_fill > 0},
        {"--collectiveMetadata", "backend HDF5", ior->collective_metadata > 0},
        {"-P", "backend MPIIO", ior->shared_file_pointer > 0},
    };

    if (ior->shared_file_pointer && strcmp(lowering->loop->name, "mpiio") == 0)
        return weir_error_usage(lowering->error, lowering->place,
                                "-P: shared file pointers are not built; leave it out, and "
                                "transfers are at explicit offsets");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].is_given)
            weir_plan_add_remark(lowering->plan, lowering->test,
                                 "%s: an option of %s, and this test uses %s: it changes nothing",
                                 words[i].word, words[i].backends, lowering->test->label);
    }
    if (ior->stray_dashes > 0)
        weir_plan_add_remark(lowering->plan, lowering->test,
                             "a dash among letters, as in -z-k, changes nothing");
    return 0;
}

/* Not a word of IOR's, which other backends may take for nothing. */
static int refuse_cached(const struct weir_ior_lowering *lowering)
{
    if (!lowering->request->additions.is_direct || has_row(lowering->loop, "posix.odirect") ||
        weir_test_abilities(lowering->test) & WEIR_BYPASSES_CACHE)
        return 0;
    return weir_error_usage(lowering->error, lowering->place,
                            "--direct: backend %s has no transfers past the page cache; leave it "
                            "out, or choose another backend, such as posix or direct",
                            lowering->test->label);
}

/* A view shows a file's parts in their order. */
static int refuse_random_view(const struct weir_ior_lowering *lowering)
{
    static const char *const views[] = {"mpiio.useFileView", "mpiio.useStridedDatatype", NULL};
    const struct weir_test *test = lowering->test;
    const void *values = test->inner ? test->inner_options : test->backend_options;
    const char *view = weir_options_find_changed(lowering->loop->options.rows, values, views);

    if (!view || !lowering->ior->random_offset)
        return 0;
    return weir_error_usage(lowering->error, lowering->place,
                            "-z: random offsets do not go through a view of the file: leave out "
                            "--%s or -z",
                            view);
}

static void lower_collective(struct weir_ior_lowering *lowering)
{
    bool can_collect = weir_test_abilities(lowering->test) & WEIR_CAN_COLLECT;

    lowering->is_collective = lowering->ior->collective && can_collect;
    if (lowering->ior->collective && !can_collect)
        weir_plan_add_remark(lowering->plan, lowering->test,
                             "-c: backend %s has no collective transfers: they are independent",
                             lowering->test->label);
}

int weir_ior_lower_backend(struct weir_ior_lowering *lowering)
{
    /* A word of several backends, and of IOR by three names. */
    bool is_direct = lowering->ior->use_o_direct || lowering->request->additions.is_direct;
    int failure = is_direct ? weir_options_assign(&lowering->request->parser, lowering->place,
                                                  "posix.odirect", "1", lowering->error)
                            : 0;

    if (!failure)
        failure = choose_backend(lowering, lowering->ior->api);
    if (failure)
        return failure;
    lowering->loop = lowering->test->inner ? lowering->test->inner : lowering->test->backend;
    if (refuse_random_view(lowering) || refuse_cached(lowering) || lower_unused_words(lowering))
        return -EINVAL;
    remark_unused_options(lowering);
    lower_collective(lowering);
    return lowering->ior->dry_run ? choose_no_backend(lowering) : 0;
}
