/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 looks at a shared file, and tells the others what it found. */
#include "claim.h"

#include "weir/base/remedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool weir_claim_is_needed(const struct weir_run *run)
{
    return !run->test->may_overwrite && weir_run_has_storage(run);
}

/* ---- the list ---- */

static size_t find_id(const struct weir_claims *claims, struct weir_file_id id)
{
    size_t i = 0;

    while (i < claims->count &&
           (claims->ids[i].inode != id.inode || claims->ids[i].device != id.device))
        i++;
    return i;
}

/* Room for one more, so that a file can be added where nothing may be allocated. */
static int make_room(struct weir_claims *claims)
{
    size_t room = 2 * claims->room + 4;
    struct weir_file_id *ids;

    if (claims->count < claims->room)
        return 0;
    ids = realloc(claims->ids, room * sizeof *ids);
    if (ids == NULL)
        return -ENOMEM;
    claims->ids = ids;
    claims->room = room;
    return 0;
}

int weir_claim_add(struct weir_run *run, struct weir_file_id id)
{
    struct weir_claims *claims = &run->claims;

    if (id.inode == 0 || find_id(claims, id) < claims->count)
        return 0;
    if (make_room(claims) != 0)
        return -ENOMEM;
    claims->ids[claims->count++] = id;
    return 0;
}

void weir_claim_drop(struct weir_run *run, struct weir_file_id id)
{
    struct weir_claims *claims = &run->claims;
    size_t i = find_id(claims, id);

    if (i < claims->count)
        claims->ids[i] = claims->ids[--claims->count];
}

void weir_claim_close(struct weir_run *run)
{
    free(run->claims.ids);
    run->claims = (struct weir_claims){0};
}

/* ---- names ---- */

int weir_claim_find(struct weir_run *run, const char *path, struct weir_file_id *id)
{
    struct weir_name_facts facts;
    int code = weir_run_stat(run, path, &facts);

    if (code != 0)
        return code;
    if (facts.kind != WEIR_NAME_FILE || find_id(&run->claims, facts.id) == run->claims.count)
        return -ESTALE;
    *id = facts.id;
    return 0;
}

int weir_claim_remove(struct weir_run *run, const char *path)
{
    struct weir_file_id id = {0};
    int code = weir_claim_is_needed(run) ? weir_claim_find(run, path, &id) : 0;

    if (code == 0)
        code = weir_run_unlink(run, path);
    if (code == 0)
        weir_claim_drop(run, id);
    return code == -ENOENT ? 0 : code;
}

const char *weir_claim_reason(int code)
{
    switch (code) {
    case -ESTALE:
    case -EEXIST:
    case -ELOOP:
        return "another file has come to this name since weir looked, and is left alone: see who "
               "else works there, or choose another name with " WEIR_REMEDY_PATH;
    default:
        return weir_run_reason(code);
    }
}

/* ---- before the file of a phase is opened ---- */

struct finding {
    int code;
    enum weir_claim claim;
    struct weir_file_id id;
};

static struct finding look(const struct weir_data_phase *data)
{
    struct finding found = {.claim = WEIR_CLAIM_OWN};

    found.code = make_room(&data->run->claims);
    if (found.code == 0)
        found.code = weir_claim_find(data->run, data->path, &found.id);
    if (found.code == -ENOENT && weir_phase_makes_file(data))
        found.claim = WEIR_CLAIM_NEW;
    if (found.code == -ENOENT)
        found.code = 0;
    return found;
}

/* Translates a file's identity from rank 0 to this node. File systems that are shared over a
 * network may number devices, and some even files, otherwise on each node. */
struct weir_file_id weir_claim_translate(const struct weir_run *run, struct weir_file_id id)
{
    if (run->group->rank == 0)
        return id;
    if (id.inode == 0 || !run->view.has_same_numbers)
        return (struct weir_file_id){0};
    return (struct weir_file_id){.device = run->view.device, .inode = id.inode};
}

int weir_claim_prepare(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    struct finding found = {.claim = WEIR_CLAIM_ANY};
    int code = 0;

    data->claim = WEIR_CLAIM_ANY;
    data->id = (struct weir_file_id){0};
    data->must_create = weir_phase_makes_file(data);
    if (!weir_verb_writes(data->phase->verb) || data->target->is_device ||
        !weir_claim_is_needed(run))
        return 0;
    if (weir_run_handles_name(run, data->target))
        found = look(data);
    if (data->target->is_shared)
        code = weir_group_broadcast(run->group, &found, sizeof found, 0);
    if (code != 0 || found.code != 0)
        return code != 0 ? code : found.code;
    data->claim = found.claim;
    data->id = data->target->is_shared ? weir_claim_translate(run, found.id) : found.id;
    data->must_create = found.claim == WEIR_CLAIM_NEW;
    return 0;
}
