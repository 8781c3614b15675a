/* SPDX-License-Identifier: Apache-2.0 */
/* Tells where a test wants its ranks and their buffers, and the page cache that it wants to find.
 */
#include "explain.h"

/* Where each policy puts the ranks; behind it, what it needs to know. */
static const char *const places[WEIR_PIN_POLICIES] = {
    [WEIR_PIN_CORE] = "on a core each",
    [WEIR_PIN_PU] = "on a processor each",
    [WEIR_PIN_NUMA] = "on a NUMA node each",
    [WEIR_PIN_PACKAGE] = "on a package each",
    [WEIR_PIN_STORAGE] = "on cores near the devices of the files",
    [WEIR_PIN_NIC] = "on cores near ",
    [WEIR_PIN_LIST] = "on processors ",
    [WEIR_PIN_RANKFILE] = "where rankfile ",
};

static void add_pinning(struct weir_text *text, const struct weir_pinning *pinning)
{
    const struct weir_pinning as_usual = {.policy = pinning->policy};

    if (pinning->policy == WEIR_PIN_NONE)
        return;
    weir_text_add(text, "  ranks %s", places[pinning->policy]);
    if (pinning->policy == WEIR_PIN_NIC)
        weir_text_add(text, "%s%s", pinning->nic ? "network device " : "the first network device",
                      pinning->nic ? pinning->nic : "");
    if (pinning->policy == WEIR_PIN_LIST)
        weir_text_add(text, "%s", pinning->list);
    if (pinning->policy == WEIR_PIN_RANKFILE)
        weir_text_add(text, "%s has them", pinning->rankfile_path);
    if (weir_pin_order_of(pinning) != weir_pin_order_of(&as_usual))
        weir_text_add(text, ", %s", pinning->order == WEIR_PIN_COMPACT ? "compact" : "scattered");
    weir_text_add(text, "\n");
}

static void add_membind(struct weir_text *text, const struct weir_membind *membind)
{
    static const char *const buffers[WEIR_MEMBIND_POLICIES] = {
        [WEIR_MEMBIND_LOCAL] = "on the NUMA nodes of their ranks",
        [WEIR_MEMBIND_INTERLEAVE] = "on all NUMA nodes in turn",
        [WEIR_MEMBIND_NONE] = "where the kernel has them",
    };

    if (membind->policy == WEIR_MEMBIND_NODE)
        weir_text_add(text, "  buffers on NUMA node %u\n", membind->node);
    else if (membind->policy != WEIR_MEMBIND_AUTO)
        weir_text_add(text, "  buffers %s\n", buffers[membind->policy]);
}

static bool has_trees(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_verb_works_on_trees(test->phases[i]->verb))
            return true;
    return false;
}

static void add_cache_drop(struct weir_text *text, const struct weir_test *test)
{
    if (test->cache_drop == WEIR_DROP_FILES)
        weir_text_add(text, "  before reads, drop the files from page caches\n");
    if (test->cache_drop == WEIR_DROP_NODE && has_trees(test))
        weir_text_add(text, "  before all phases but creation, empty the caches of pages, "
                            "names and attributes of each node\n");
    else if (test->cache_drop == WEIR_DROP_NODE)
        weir_text_add(text, "  before reads, empty the page cache of each node\n");
}

void weir_plan_explain_place(struct weir_text *text, const struct weir_test *test)
{
    add_pinning(text, &test->pinning);
    add_membind(text, &test->membind);
    if (test->wants_huge_pages)
        weir_text_add(text, "  buffers of huge pages\n");
    add_cache_drop(text, test);
    if (test->measure != WEIR_MEASURE_STORAGE)
        weir_text_add(text, "  figures are meant to be of %s (--measure)\n",
                      weir_measure_names[test->measure]);
}
