/* SPDX-License-Identifier: Apache-2.0 */
/* Which places for ranks and buffers contradict themselves, and which the chosen backend does not
 * have. */
#include "check.h"

#include "weir/base/cpu_set.h"
#include "weir/base/execution.h"

/* A dry run has no data that could be anywhere. */
static bool has_files(const struct weir_test *test)
{
    return test->is_dry_run || weir_test_abilities(test) & WEIR_CAN_NAME;
}

/* A policy comes with its own words, and with those of no other. */
static int check_words(const struct weir_check_scope *scope)
{
    const struct weir_pinning *pinning = &scope->test->pinning;
    const char *name = weir_pin_policy_name(pinning->policy);
    struct weir_cpu_set cpus;

    if ((pinning->policy == WEIR_PIN_LIST) != (pinning->list != NULL))
        return REFUSE(scope, "policy %s %s a list of processors: give one to policy list alone",
                      name, pinning->list ? "with" : "without");
    if ((pinning->policy == WEIR_PIN_RANKFILE) != (pinning->rankfile_path != NULL))
        return REFUSE(scope, "policy %s %s a rankfile: give one to policy rankfile alone", name,
                      pinning->rankfile_path ? "with" : "without");
    if (pinning->nic && pinning->policy != WEIR_PIN_NIC)
        return REFUSE(scope,
                      "policy %s with network device %s: choose policy nic, or leave the "
                      "device out",
                      name, pinning->nic);
    if (pinning->rankfile_path && pinning->rankfile_path[0] == '\0')
        return REFUSE(scope, "empty path for the rankfile: give one, or choose another policy");
    if (pinning->nic && pinning->nic[0] == '\0')
        return REFUSE(scope, "empty name of a network device: give one, or leave it out");
    if (pinning->list && weir_cpu_set_parse(pinning->list, &cpus) != 0)
        return REFUSE(scope,
                      "\"%s\" is no list of processors: give numbers below %d and ranges, such as "
                      "0-3,8",
                      pinning->list, WEIR_CPUS_MAX);
    return 0;
}

static int check_order(const struct weir_check_scope *scope)
{
    const struct weir_pinning *pinning = &scope->test->pinning;

    if (pinning->order != WEIR_PIN_ORDER_STANDARD &&
        (pinning->policy == WEIR_PIN_NONE || pinning->policy == WEIR_PIN_LIST ||
         pinning->policy == WEIR_PIN_RANKFILE))
        return REFUSE(scope,
                      "policy %s has no places that could be taken in another order: leave the "
                      "order out, or choose another policy",
                      weir_pin_policy_name(pinning->policy));
    return 0;
}

static int check_storage(const struct weir_check_scope *scope)
{
    if (scope->test->pinning.policy == WEIR_PIN_STORAGE && !has_files(scope->test))
        return REFUSE(scope,
                      "policy storage, and backend %s has no files whose devices ranks could be "
                      "near to: choose another policy or backend",
                      scope->test->backend->name);
    return 0;
}

static int check_membind(const struct weir_check_scope *scope)
{
    const struct weir_membind *membind = &scope->test->membind;

    if (membind->policy == WEIR_MEMBIND_NODE && membind->node >= WEIR_NUMA_NODES_MAX)
        return REFUSE(scope, "memory on NUMA node %u: choose one from 0 to %d", membind->node,
                      WEIR_NUMA_NODES_MAX - 1);
    if (membind->policy != WEIR_MEMBIND_NODE && membind->node != 0)
        return REFUSE(scope,
                      "memory policy %s with NUMA node %u: choose policy node, or leave "
                      "the node out",
                      weir_membind_policy_name(membind->policy), membind->node);
    return 0;
}

static int check_cache_drop(const struct weir_check_scope *scope)
{
    if (scope->test->cache_drop != WEIR_DROP_NOTHING && !has_files(scope->test))
        return REFUSE(scope,
                      "backend %s has no files that a page cache could hold: leave it as it "
                      "is, or choose another backend",
                      scope->test->backend->name);
    return 0;
}

int weir_check_place(const struct weir_check_scope *scope)
{
    static weir_check_rule *const rules[] = {check_words,   check_order,      check_storage,
                                             check_membind, check_cache_drop, NULL};

    return weir_check_apply(rules, scope);
}
