/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the options that every dialect has beside its own. */
#include "common_words.h"

#include "progress_words.h"
#include "time_words.h"

#include "weir/base/compare_request.h"
#include "weir/base/finding.h"
#include "weir/base/nearest.h"

#include <stdio.h>
#include <string.h>

#define OURS(member) WEIR_OPTION_AT(struct weir_common_words, member)

static const struct weir_option rows[] = {
    {0, "result", WEIR_OPTION_TEXT, OURS(result_path),
     .help = "append the whole result to this file, phase by phase, as lines of JSON"},
    {0, "resume", WEIR_OPTION_FLAG, OURS(must_resume),
     .help =
         "with --result: steps that the last run of the same plan in the file finished are kept "
         "and not repeated; a step is a test, or a step of a sweep"},
    {0, "label", WEIR_OPTION_TEXT, OURS(label), .help = WEIR_LABEL_HELP},
    {0, "set", WEIR_OPTION_TEXT, OURS(tags), .is_list = true, .help = WEIR_SET_HELP},
    {0, "data", WEIR_OPTION_CHOICE, OURS(data), NULL, "stamp|full|none|ior",
     .help =
         "what is written, in place of --dataPacketType: data that prove the place of each "
         "sector, or of each word, or nothing that can be verified; ior: the bytes of IOR 4 for "
         "--dataPacketType"},
    {0, "plain", WEIR_OPTION_FLAG, OURS(is_plain),
     .help = "print what the original prints, and nothing of our own"},
    {0, "details", WEIR_OPTION_FLAG, OURS(has_details),
     .help =
         "after the verdict, print the tables of times, caches, places and the environment, and "
         "all findings, as -v does; so does WEIR_DETAILS=1 in the environment"},
    {0, "overwrite", WEIR_OPTION_FLAG, OURS(may_overwrite),
     .help = "overwrite and remove files that no benchmark made; so does WEIR_OVERWRITE=1 in the "
             "environment"},
    {0, "must-fit", WEIR_OPTION_FLAG, OURS(must_fit),
     .help = "refuse a test whose files do not fit into the free space, inodes and quota, of which "
             "there is else a warning before it begins"},
    {0, "depth", WEIR_OPTION_TEXT, OURS(depth),
     .help =
         "operations in flight per task, such as 32; auto: the least depth that does as well as "
         "any up to 256, auto:64: up to 64"},
    {0, "direct", WEIR_OPTION_FLAG, OURS(is_direct),
     .help = "the same as --posix.odirect, and refused where a backend has no such thing"},
    {0, "rate", WEIR_OPTION_TEXT, OURS(rate),
     .help =
         "operations per second, such as 20000, or bytes per second, such as 200m: each is made "
         "when it is due, whether earlier ones are done or not"},
    {0, "rate-of", WEIR_OPTION_CHOICE, OURS(rate_of), NULL, "job|rank",
     .help = "whose rate it is: that of all tasks together (job, if not given) or of each one"},
    {0, "arrivals", WEIR_OPTION_CHOICE, OURS(arrivals), NULL, "constant|poisson",
     .help = "times between operations that are due: all equal (constant, if not given) or random"},
    {0, "pin", WEIR_OPTION_TEXT, OURS(pin), "none",
     .help = "which processors each task gets: none (as the launcher has it), core, pu, numa, "
             "package, storage, nic, list:0-3,8 (or 0-3+8) or rankfile:PATH"},
    {0, "pin-order", WEIR_OPTION_CHOICE, OURS(pin_order), "auto", "auto|compact|scatter",
     .help = "tasks one after the other fill what is near (compact), or take turns (scatter); "
             "auto: turns for numa and package"},
    {0, "nic", WEIR_OPTION_TEXT, OURS(nic), "auto",
     .help = "with --pin nic: the network device, such as mlx5_0 or eth0; auto: the first that is "
             "up"},
    {0, "membind", WEIR_OPTION_TEXT, OURS(membind), "auto",
     .help = "NUMA nodes of transfer buffers: auto (near the task, if there is room), local (near, "
             "or not at all), interleave, node:N or none (as the kernel has it)"},
    {0, "huge-pages", WEIR_OPTION_FLAG, OURS(wants_huge_pages),
     .help = "transfer buffers of huge pages, where there are any"},
    {0, "drop-caches", WEIR_OPTION_CHOICE, OURS(cache_drop), "none", "none|node|files",
     .help = "before each phase that reads, empty the page cache: that of each node, which needs "
             "root, or of the files alone; node also drops names and attributes before each phase "
             "on trees that makes nothing"},
    {0, "measure", WEIR_OPTION_CHOICE, OURS(measure), "storage", "storage|cache|memory",
     .help = "what the figures are meant to be of: the storage, a page, dentry or client cache, or "
             "memory (tmpfs, a burst buffer, the null backend); findings that say so then void no "
             "figure"},
    {0, "allow", WEIR_OPTION_TEXT, OURS(allowed),
     .help = "names of findings, such as short,spread, that have no effect on the verdict; they "
             "stay in the record"},
    {0, "strict", WEIR_OPTION_FLAG, OURS(is_strict),
     .help = "exit code 1 after a warning or a finding that voids a figure"},
    {0, "expect", WEIR_OPTION_TEXT, OURS(expect), .help = WEIR_EXPECT_HELP, .is_list = true},
    {0, "allow-unverified", WEIR_OPTION_FLAG, OURS(allows_unverified),
     .help = WEIR_ALLOW_UNVERIFIED_HELP},
    {0, "until-interval", WEIR_OPTION_TEXT, OURS(until_interval),
     .help = "repeat the test until the 95 % interval of the median of each timed phase is within "
             "this share of it, such as 3%, and at least 5 times"},
    {0, "max-repetitions", WEIR_OPTION_COUNT, OURS(max_repetitions), .most = 1000,
     .help = "with --until-interval: most repetitions (30)"},
    {0, "repeat-time", WEIR_OPTION_TEXT, OURS(repeat_time),
     .help = "with --until-interval: begin no repetition later than this after the first one, such "
             "as 90s, 10m or 2h (1h)"},
    {0, "progress", WEIR_OPTION_TEXT, OURS(progress), "auto", .help = WEIR_PROGRESS_HELP},
    {0, "live", WEIR_OPTION_TEXT, OURS(live), .help = WEIR_LIVE_HELP},
    {0, "on-phase", WEIR_OPTION_TEXT, OURS(on_phase), .help = WEIR_ON_PHASE_HELP},
    {0, "on-phase-limit", WEIR_OPTION_TEXT, OURS(on_phase_limit), "60s",
     .help = WEIR_ON_PHASE_LIMIT_HELP},
    {0, "stop-before", WEIR_OPTION_TEXT, OURS(stop_before),
     .help = "end the run in order this long before the batch system ends the job, such as 60s, 5m "
             "or 1.5h"},
    {0, "on-error", WEIR_OPTION_CHOICE, OURS(on_error), "stop", "stop|continue",
     .help =
         "an operation that fails: all tasks stop and the run ends (stop), or it is counted and "
         "they go on (continue); the exit code is 1 in either case"},
    {0, "watchdog", WEIR_OPTION_TEXT, OURS(watchdog), "60s", .help = WEIR_WATCHDOG_HELP},
    {0, "give-up", WEIR_OPTION_TEXT, OURS(give_up),
     .help = "end the run if a task has not moved for so long, at least the time of --watchdog: "
             "finished phases are in the result, files stay"},
    {0},
};

const struct weir_option_set weir_common_set = {"Weir", rows, sizeof(struct weir_common_words)};

int weir_allowed_check(const char *list, const char *place, struct weir_error *error)
{
    while (list != NULL && *list != '\0') {
        struct weir_nearest nearest = {.typed = list, .length = strcspn(list, ",")};
        char name[64];
        const char *near;

        snprintf(name, sizeof name, "%.*s", (int)nearest.length, list);
        list += nearest.length + (list[nearest.length] == ',');
        if (weir_finding_lookup(name) != WEIR_FINDING_COUNT)
            continue;
        for (unsigned i = 0; i < WEIR_FINDING_COUNT; i++)
            weir_nearest_offer(&nearest, weir_finding_rows[i].name);
        near = weir_nearest_word(&nearest);
        return weir_error_usage(error, place,
                                "--allow: there is no finding \"%s\"%s%s%s; weir help findings "
                                "lists them",
                                name, near ? ": did you mean \"" : "", near ? near : "",
                                near ? "\"?" : "");
    }
    return 0;
}

#define LABEL_BYTES_MAX 256
#define KEY_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static bool has_control(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == '\177')
            return true;
    return false;
}

int weir_label_check(const char *label, const char *place, struct weir_error *error)
{
    if (label != NULL && (strlen(label) > LABEL_BYTES_MAX || has_control(label)))
        return weir_error_usage(error, place,
                                "--label: a label has up to %d bytes, and no control characters",
                                LABEL_BYTES_MAX);
    return 0;
}

int weir_tags_read(const char *list, struct weir_arena *arena, const char *place,
                   struct weir_error *error, const struct weir_fact **tags, size_t *count)
{
    size_t most = list != NULL ? 1 : 0;
    struct weir_fact *made;
    char *at;

    for (const char *end = list; end != NULL && (end = strchr(end, '\n')) != NULL; end++)
        most++;
    made = weir_arena_take(arena, most * sizeof *made);
    *tags = made;
    *count = 0;
    for (at = weir_arena_copy(arena, list); *count < most; at += strlen(at) + 1) {
        size_t letters = strspn(at, KEY_LETTERS);
        char *value;

        at[strcspn(at, "\n")] = '\0';
        value = strchr(at, '=');
        if (value == NULL || letters == 0 || at + letters != value || strchr("0123456789", *at))
            return weir_error_usage(error, place,
                                    "--set: \"%s\" is not KEY=VALUE: a key has letters, digits and "
                                    "underscores, and does not begin with a digit",
                                    at);
        *value++ = '\0';
        if (weir_text_list_has(WEIR_COMPARE_KEYS, at))
            return weir_error_usage(error, place,
                                    "--set: %s is a key that weir compare has for every run; "
                                    "choose another key",
                                    at);
        if (value[0] == '\0' || strlen(value) > LABEL_BYTES_MAX || has_control(value))
            return weir_error_usage(error, place,
                                    "--set: the value of %s has 1 to %d bytes, and no control "
                                    "characters",
                                    at, LABEL_BYTES_MAX);
        for (size_t i = 0; i < *count; i++)
            if (strcmp(made[i].key, at) == 0)
                return weir_error_usage(error, place, "--set: the key %s is repeated", at);
        made[*count] = (struct weir_fact){.key = at, .value = value};
        ++*count;
        at = value;
    }
    return 0;
}
