/* SPDX-License-Identifier: Apache-2.0 */
/* Words for places of ranks and memory. */
#include "pinning_words.h"

#include "weir/base/cpu_set.h"
#include "weir/base/execution.h"
#include "weir/base/nearest.h"
#include "weir/base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const char policy_words[] =
    "none, core, pu, numa, package, storage, nic, list:0-3,8 and rankfile:PATH";

struct reading {
    struct weir_arena *arena;
    const char *place;
    struct weir_error *error;
};

#define REFUSE(reading, ...) weir_error_usage((reading)->error, (reading)->place, __VA_ARGS__)

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

/* ---- policies ---- */

/* Numbers and ranges, with commas between them. `pin` is all that was typed. */
static int read_list(const struct reading *reading, const char *pin, const char *list,
                     struct weir_pinning *pinning)
{
    char *copy = weir_arena_copy(reading->arena, list);
    struct weir_cpu_set cpus;
    int code;

    for (char *at = copy; (at = strchr(at, '+')) != NULL;)
        *at = ',';
    code = weir_cpu_set_parse(copy, &cpus);
    if (code == -ERANGE)
        return REFUSE(reading, "--pin: \"%s\": processors have numbers from 0 to %d", pin,
                      WEIR_CPUS_MAX - 1);
    if (code != 0)
        return REFUSE(reading,
                      "--pin: \"%s\" names no processors; give numbers and ranges, such as "
                      "list:0-3,8",
                      pin);
    pinning->list = copy;
    return 0;
}

static int read_rankfile(const struct reading *reading, const char *path,
                         struct weir_pinning *pinning)
{
    if (*path == '\0')
        return REFUSE(reading, "--pin: rankfile has no path; give one, such as rankfile:ranks.txt");
    pinning->rankfile_path = weir_arena_copy(reading->arena, path);
    return 0;
}

static int find_policy(const struct reading *reading, const char *pin, size_t length,
                       enum weir_pin_policy *policy)
{
    struct weir_nearest nearest = {.typed = pin, .length = length};
    const char *near_word;

    for (int i = 0; i < WEIR_PIN_POLICIES; i++) {
        if (is_word(pin, length, weir_pin_policy_name((enum weir_pin_policy)i))) {
            *policy = (enum weir_pin_policy)i;
            return 0;
        }
        weir_nearest_offer(&nearest, weir_pin_policy_name((enum weir_pin_policy)i));
    }
    near_word = weir_nearest_word(&nearest);
    return REFUSE(reading, "--pin: there is no policy \"%s\"%s%s%s; there are: %s", pin,
                  near_word ? " (did you mean " : "", near_word ? near_word : "",
                  near_word ? "?)" : "", policy_words);
}

static int read_policy(const struct reading *reading, const char *pin, struct weir_pinning *pinning)
{
    size_t length = strcspn(pin, ":");
    const char *rest = pin[length] == ':' ? pin + length + 1 : NULL;
    const char *name;

    if (find_policy(reading, pin, length, &pinning->policy))
        return -EINVAL;
    name = weir_pin_policy_name(pinning->policy);
    if (pinning->policy == WEIR_PIN_LIST)
        return read_list(reading, pin, rest ? rest : "", pinning);
    if (pinning->policy == WEIR_PIN_RANKFILE)
        return read_rankfile(reading, rest ? rest : "", pinning);
    if (rest)
        return REFUSE(reading, "--pin: %s takes nothing behind it; write %s, not \"%s\"", name,
                      name, pin);
    return 0;
}

/* ---- what goes with a policy ---- */

/* Why places of the policy are taken in one order only; NULL if they are not. */
static const char *why_order_is_fixed(enum weir_pin_policy policy)
{
    switch (policy) {
    case WEIR_PIN_NONE:
        return "ranks stay where the launcher has placed them; give --pin, or say auto";
    case WEIR_PIN_LIST:
        return "ranks take the processors of a list in its own order; say auto";
    case WEIR_PIN_RANKFILE:
        return "a rankfile says itself what each rank gets; say auto";
    default:
        return NULL;
    }
}

static int read_order(const struct reading *reading, const char *order,
                      struct weir_pinning *pinning)
{
    const char *reason = why_order_is_fixed(pinning->policy);

    if (strcasecmp(order, WEIR_WORD_AUTO) == 0)
        return 0;
    if (strcasecmp(order, "compact") != 0 && strcasecmp(order, "scatter") != 0)
        return REFUSE(reading,
                      "--pin-order: \"%s\" is no order; there are: auto, compact and "
                      "scatter",
                      order);
    if (reason)
        return REFUSE(reading, "--pin-order: %s", reason);
    pinning->order = strcasecmp(order, "compact") == 0 ? WEIR_PIN_COMPACT : WEIR_PIN_SCATTER;
    return 0;
}

static int read_nic(const struct reading *reading, const char *nic, struct weir_pinning *pinning)
{
    if (strcasecmp(nic, WEIR_WORD_AUTO) == 0)
        return 0;
    if (pinning->policy != WEIR_PIN_NIC)
        return REFUSE(reading,
                      "--nic: only --pin nic looks for a network device, and this is --pin %s; "
                      "say auto, or give --pin nic",
                      weir_pin_policy_name(pinning->policy));
    pinning->nic = weir_arena_copy(reading->arena, nic);
    return 0;
}

int weir_pinning_read(const struct weir_pinning_words *words, struct weir_arena *arena,
                      const char *place, struct weir_pinning *pinning, struct weir_error *error)
{
    const struct reading reading = {arena, place, error};
    struct weir_pinning read = {0};

    if (words->pin && read_policy(&reading, words->pin, &read))
        return -EINVAL;
    if (words->order && read_order(&reading, words->order, &read))
        return -EINVAL;
    if (words->nic && read_nic(&reading, words->nic, &read))
        return -EINVAL;
    *pinning = read;
    return 0;
}

/* ---- memory ---- */

static int read_node(const struct reading *reading, const char *word, struct weir_membind *membind)
{
    const char *number = word + strlen("node:");
    int64_t node;

    if (number[strspn(number, "0123456789")] != '\0' || weir_integer_parse(number, &node) ||
        node >= WEIR_NUMA_NODES_MAX)
        return REFUSE(reading, "--membind: \"%s\" is no NUMA node; give one from node:0 to node:%d",
                      word, WEIR_NUMA_NODES_MAX - 1);
    *membind = (struct weir_membind){WEIR_MEMBIND_NODE, (unsigned)node};
    return 0;
}

int weir_membind_read(const char *word, const char *place, struct weir_membind *membind,
                      struct weir_error *error)
{
    static const enum weir_membind_policy policies[] = {WEIR_MEMBIND_AUTO, WEIR_MEMBIND_LOCAL,
                                                        WEIR_MEMBIND_INTERLEAVE, WEIR_MEMBIND_NONE};
    const struct reading reading = {.place = place, .error = error};

    if (word && strncasecmp(word, "node:", strlen("node:")) == 0)
        return read_node(&reading, word, membind);
    if (!word)
        word = WEIR_WORD_AUTO;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strcasecmp(word, weir_membind_policy_name(policies[i])) == 0) {
            *membind = (struct weir_membind){.policy = policies[i]};
            return 0;
        }
    }
    return REFUSE(&reading,
                  "--membind: \"%s\" is no place for buffers; there are: auto, local, interleave, "
                  "node:N and none",
                  word);
}
