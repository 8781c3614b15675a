/* SPDX-License-Identifier: Apache-2.0 */
/* Tells where a test wants its ranks and their buffers, and the page cache that it wants to find.
 */
#include "explain_place.h"

#include <assert.h>

static void add_pinning(struct weir_text *text, const struct weir_pinning *pinning)
{
    const struct weir_pinning as_usual = {.policy = pinning->policy};

    switch (pinning->policy) {
    case WEIR_PIN_NONE:
        return;
    case WEIR_PIN_CORE:
        weir_text_add(text, "  ranks on a core each");
        break;
    case WEIR_PIN_PU:
        weir_text_add(text, "  ranks on a processor each");
        break;
    case WEIR_PIN_NUMA:
        weir_text_add(text, "  ranks on a NUMA node each");
        break;
    case WEIR_PIN_PACKAGE:
        weir_text_add(text, "  ranks on a package each");
        break;
    case WEIR_PIN_STORAGE:
        weir_text_add(text, "  ranks on cores near the devices of the files");
        break;
    case WEIR_PIN_NIC:
        weir_text_add(text, "  ranks on cores near %s%s",
                      pinning->nic ? "network device " : "the first network device",
                      pinning->nic ? pinning->nic : "");
        break;
    case WEIR_PIN_LIST:
        weir_text_add(text, "  ranks on processors %s", pinning->list);
        break;
    case WEIR_PIN_RANKFILE:
        weir_text_add(text, "  ranks where rankfile %s has them", pinning->rankfile_path);
        break;
    }
    if (weir_pin_order_of(pinning) != weir_pin_order_of(&as_usual))
        weir_text_add(text, ", %s", pinning->order == WEIR_PIN_COMPACT ? "compact" : "scattered");
    weir_text_add(text, "\n");
}

static void add_membind(struct weir_text *text, const struct weir_membind *membind)
{
    switch (membind->policy) {
    case WEIR_MEMBIND_AUTO:
        return;
    case WEIR_MEMBIND_LOCAL:
        weir_text_add(text, "  buffers on the NUMA nodes of their ranks\n");
        return;
    case WEIR_MEMBIND_INTERLEAVE:
        weir_text_add(text, "  buffers on all NUMA nodes in turn\n");
        return;
    case WEIR_MEMBIND_NODE:
        weir_text_add(text, "  buffers on NUMA node %u\n", membind->node);
        return;
    case WEIR_MEMBIND_NONE:
        weir_text_add(text, "  buffers where the kernel has them\n");
        return;
    }
    assert(!"a policy that is none");
}

static void add_cache_drop(struct weir_text *text, enum weir_cache_drop drop)
{
    if (drop == WEIR_DROP_FILES)
        weir_text_add(text, "  before reads, drop the files from page caches\n");
    if (drop == WEIR_DROP_NODE)
        weir_text_add(text, "  before reads, empty the page cache of each node\n");
}

void weir_plan_explain_place(struct weir_text *text, const struct weir_test *test)
{
    add_pinning(text, &test->pinning);
    add_membind(text, &test->membind);
    if (test->wants_huge_pages)
        weir_text_add(text, "  buffers of huge pages\n");
    add_cache_drop(text, test->cache_drop);
}
