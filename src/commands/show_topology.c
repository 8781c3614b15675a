/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a topology, has the policy place ranks on it, and draws both. */
#include "show_topology.h"

#include "weir/base/arena.h"
#include "weir/system/bindings.h"
#include "weir/system/environment.h"
#include "weir/system/running.h"

#include <errno.h>
#include <string.h>

/* The parts of the picture. */
struct showing {
    const struct weir_host_question *question;
    struct weir_topology *topology;
    struct weir_arena arena;
    struct weir_storage_facts storage;
    struct weir_binding_needs needs;
    struct weir_cpu_set given; /* to each rank */
    struct weir_binding_request request;
    struct weir_error *error;
};

/* ---- what ranks were given ---- */

static int check_allowed(struct showing *showing)
{
    struct weir_cpu_set all, allowed;
    struct weir_text numbers = {0};

    weir_topology_processors(showing->topology, &all, &allowed);
    if (weir_cpu_set_is_within(&showing->given, &all))
        return 0;
    weir_cpu_set_format(&all, &numbers);
    weir_error_usage(showing->error, "--allowed",
                     "%s: the processors of this topology are %s: name some of these",
                     showing->question->allowed, weir_text_string(&numbers));
    weir_text_close(&numbers);
    return -EINVAL;
}

/* As the user says, else what this process was given, else what the file or the text allows. */
static int find_given(struct showing *showing)
{
    const char *list = showing->question->allowed;
    struct weir_cpu_set all;

    if (list != NULL) {
        if (weir_cpu_set_parse(list, &showing->given) != 0)
            return weir_error_usage(showing->error, "--allowed",
                                    "%s: give numbers and ranges of processors, as in 0-3,8", list);
        return check_allowed(showing);
    }
    weir_topology_processors(showing->topology, &all, &showing->given);
    if (weir_topology_is_this_host(showing->topology))
        weir_running_cpus(&showing->given);
    return 0;
}

/* ---- the rankfile ---- */

static int read_rankfile(struct showing *showing)
{
    struct weir_text text = {0};

    if (weir_bindings_read_rankfile(showing->question->pinning.rankfile_path, &text,
                                    showing->error) == 0)
        showing->request.rankfile = weir_arena_copy(&showing->arena, weir_text_string(&text));
    weir_text_close(&text);
    return showing->error->code;
}

/* ---- devices ---- */

/* Of another host, only a device can be asked for, by its name. */
static int name_device(struct showing *showing)
{
    const char *slash = strrchr(showing->question->path, '/');
    const char *name = slash != NULL ? slash + 1 : showing->question->path;
    struct weir_cpu_set cpus;

    if (weir_topology_near(showing->topology, name, &cpus) == -ENODEV)
        return weir_error_usage(showing->error, "--target",
                                "%s: on another host only devices of its topology can be found, "
                                "by their names, as in --target nvme0n1",
                                showing->question->path);
    showing->needs.devices[0] = name;
    showing->request.devices = showing->needs.devices;
    return 0;
}

static int find_devices(struct showing *showing)
{
    const char *path = showing->question->path;

    if (path == NULL)
        return weir_error_usage(showing->error, "--pin storage",
                                "say which storage is meant: --target PATH");
    if (!weir_topology_is_this_host(showing->topology))
        return name_device(showing);
    weir_storage_describe("", path, &showing->storage);
    if (!showing->storage.is_known)
        return weir_error_usage(showing->error, "--target", "%s: there is no such path", path);
    showing->request.devices =
        weir_bindings_devices(showing->topology, &showing->storage, &showing->needs);
    return 0;
}

/* ---- ranks ---- */

/* One for each core that is given, or for each processor of a list. */
static int count_ranks(struct showing *showing)
{
    const struct weir_pinning *pinning = &showing->question->pinning;
    struct weir_cpu_set places = weir_topology_cores(showing->topology, &showing->given);

    showing->request.rank_count = showing->question->rank_count;
    if (showing->request.rank_count > 0)
        return 0;
    if (pinning->policy == WEIR_PIN_RANKFILE)
        return weir_error_usage(showing->error, "--pin rankfile",
                                "say how many ranks there are: --ranks N");
    if (pinning->policy == WEIR_PIN_LIST)
        weir_cpu_set_parse(pinning->list, &places);
    showing->request.rank_count = weir_cpu_set_count(&places);
    return 0;
}

static void give_all_the_same(struct showing *showing)
{
    unsigned count = showing->request.rank_count;
    struct weir_cpu_set *given = weir_arena_take(&showing->arena, (count + 1) * sizeof *given);

    for (unsigned i = 0; i < count; i++)
        given[i] = showing->given;
    showing->request.given = given;
}

static int prepare(struct showing *showing)
{
    int code = find_given(showing);

    showing->request.pinning = &showing->question->pinning;
    if (code == 0)
        code = count_ranks(showing);
    if (code == 0 && showing->question->pinning.policy == WEIR_PIN_STORAGE)
        code = find_devices(showing);
    if (code == 0 && showing->question->pinning.policy == WEIR_PIN_RANKFILE)
        code = read_rankfile(showing);
    if (code == 0)
        give_all_the_same(showing);
    return code;
}

static int draw(struct showing *showing, struct weir_text *text)
{
    int code = prepare(showing);
    struct weir_binding *bindings;

    if (code != 0)
        return code;
    bindings =
        weir_arena_take(&showing->arena, (showing->request.rank_count + 1) * sizeof *bindings);
    code = weir_bindings_plan(showing->topology, &showing->request, bindings, showing->error);
    if (code == 0)
        weir_bindings_draw(text, showing->topology, &showing->request, bindings);
    return code;
}

int weir_show_topology(const struct weir_host_question *question, struct weir_text *text,
                       struct weir_error *error)
{
    const struct weir_topology_source source = {.xml_path = question->xml_path,
                                                .synthetic = question->synthetic};
    struct showing showing = {.question = question, .error = error};
    int code = weir_topology_open(&source, &showing.topology, error);

    if (code != 0)
        return code;
    code = draw(&showing, text);
    weir_topology_close(showing.topology);
    weir_arena_close(&showing.arena);
    return code;
}
