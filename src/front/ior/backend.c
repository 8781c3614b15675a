/* SPDX-License-Identifier: Apache-2.0 */
/* What IOR's own words say of backends. */
#include "lowering.h"

#include <errno.h>
#include <string.h>

static const char *spelling_of(const struct weir_ior_lowering *lowering, const char *name,
                               const char *otherwise)
{
    return weir_options_spelling(&lowering->base.request->parser, name, otherwise);
}

/* Words of older versions for backends that are not built, which did nothing with others either. */
static int lower_unused_words(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    const struct {
        const char *word, *name;
        const char *backends;
        bool is_given;
    } words[] = {
        {"-I", "individualDataSets", "backend HDF5", ior->individual_data_sets > 0},
        {"-J", "setAlignment", "backend HDF5", ior->alignment_bytes != 1},
        {"-n", "noFill", "backends HDF5 and NCMPI", ior->no_fill > 0},
        {"--collectiveMetadata", "collectiveMetadata", "backend HDF5",
         ior->collective_metadata > 0},
        {"-P", "useSharedFilePointer", "backend MPIIO", ior->shared_file_pointer > 0},
    };

    if (ior->shared_file_pointer && strcmp(lowering->base.loop->name, "mpiio") == 0)
        return weir_error_usage(lowering->base.error, lowering->base.place,
                                "%s: shared file pointers are not built; leave it out, and "
                                "transfers are at explicit offsets",
                                spelling_of(lowering, "useSharedFilePointer", "-P"));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].is_given)
            weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                                 "%s: an option of %s, and this test uses %s: it changes nothing",
                                 spelling_of(lowering, words[i].name, words[i].word),
                                 words[i].backends, lowering->base.test->label);
    }
    if (ior->stray_dashes > 0)
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "a dash among letters, as in -z-k, changes nothing");
    return 0;
}

/* Refuses random offsets in a view, which shows a file's parts in their order. A strided type
 * without a view has no effect, as in IOR. */
static int lower_view(const struct weir_ior_lowering *lowering)
{
    static const char *const view[] = {"mpiio.useFileView", NULL};
    static const char *const type[] = {"mpiio.useStridedDatatype", NULL};
    const void *values = weir_test_options(lowering->base.test);
    const struct weir_option *rows = lowering->base.loop->options.rows;
    const char *random = spelling_of(lowering, "randomOffset", "-z");
    bool has_view = weir_options_find_changed(rows, values, view) != NULL;

    if (has_view && lowering->ior->random_offset)
        return weir_error_usage(lowering->base.error, lowering->base.place,
                                "%s: random offsets do not go through a view of the file: leave "
                                "out %s or %s",
                                random, spelling_of(lowering, view[0], "--mpiio.useFileView"),
                                random);
    if (!has_view && weir_options_find_changed(rows, values, type) != NULL)
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "%s has no effect without a view of the file: add "
                             "--mpiio.useFileView",
                             spelling_of(lowering, type[0], "--mpiio.useStridedDatatype"));
    return 0;
}

static void lower_collective(struct weir_ior_lowering *lowering)
{
    bool can_collect = weir_test_abilities(lowering->base.test) & WEIR_CAN_COLLECT;

    lowering->is_collective = lowering->ior->collective && can_collect;
    if (lowering->ior->collective && !can_collect)
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "%s: backend %s has no collective transfers: they are independent",
                             spelling_of(lowering, "collective", "-c"), lowering->base.test->label);
}

int weir_ior_lower_backend(struct weir_ior_lowering *lowering)
{
    struct weir_lowering *base = &lowering->base;
    const struct weir_option_parser *parser = &base->request->parser;
    /* A letter of older versions, or a key of the command line and of scripts. */
    const char *direct = weir_options_spelling(
        parser, "B", weir_options_spelling(parser, "useO_DIRECT", "useO_DIRECT"));

    /* A word of several backends, and of IOR by two names. */
    if (lowering->ior->use_o_direct &&
        weir_lower_backend_option(base, "posix.odirect", "1", direct))
        return -EINVAL;
    if (weir_lower_backend(base, lowering->ior->api, WEIR_WORK_FILES) || lower_view(lowering) ||
        lower_unused_words(lowering))
        return -EINVAL;
    lower_collective(lowering);
    return lowering->ior->dry_run ? weir_lower_dry_run(base) : 0;
}
