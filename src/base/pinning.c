/* SPDX-License-Identifier: Apache-2.0 */
/* Names and orders of the ways to place ranks and memory. */
#include "weir/base/pinning.h"

#include <stdbool.h>

enum weir_pin_order weir_pin_order_of(const struct weir_pinning *pinning)
{
    bool is_wide = pinning->policy == WEIR_PIN_NUMA || pinning->policy == WEIR_PIN_PACKAGE;

    if (pinning->order != WEIR_PIN_ORDER_STANDARD)
        return pinning->order;
    return is_wide ? WEIR_PIN_SCATTER : WEIR_PIN_COMPACT;
}

const char *const weir_pin_policy_names[WEIR_PIN_POLICIES] = {
    [WEIR_PIN_NONE] = "none", [WEIR_PIN_CORE] = "core",       [WEIR_PIN_PU] = "pu",
    [WEIR_PIN_NUMA] = "numa", [WEIR_PIN_PACKAGE] = "package", [WEIR_PIN_STORAGE] = "storage",
    [WEIR_PIN_NIC] = "nic",   [WEIR_PIN_LIST] = "list",       [WEIR_PIN_RANKFILE] = "rankfile"};

const char *const weir_membind_policy_names[WEIR_MEMBIND_POLICIES] = {
    [WEIR_MEMBIND_AUTO] = "auto",
    [WEIR_MEMBIND_LOCAL] = "local",
    [WEIR_MEMBIND_INTERLEAVE] = "interleave",
    [WEIR_MEMBIND_NODE] = "node",
    [WEIR_MEMBIND_NONE] = "none"};

const char *weir_pin_policy_name(enum weir_pin_policy policy)
{
    return weir_pin_policy_names[policy];
}

const char *weir_membind_policy_name(enum weir_membind_policy policy)
{
    return weir_membind_policy_names[policy];
}
