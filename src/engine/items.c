/* SPDX-License-Identifier: Apache-2.0 */
/* From the number of an operation to the item and its paths: nothing is kept of an item but what is
 * in the slots. */
#include "items.h"

#include "weir/base/log.h"
#include "weir/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- verbs ---- */

/* What an item's verb counts as, and the operations on its name or file that it is made of: those
 * for data are left out if there are none. */
static const struct {
    enum weir_op_verb counted;
    enum weir_op_verb only; /* of verbs that are one operation */
    bool opens;
} kinds[WEIR_VERB_COUNT] = {
    [WEIR_CREATE] = {.counted = WEIR_OP_CREATE, .opens = true},
    [WEIR_OPEN] = {.counted = WEIR_OP_OPEN, .opens = true},
    [WEIR_READ_FILE] = {.counted = WEIR_OP_READ_FILE, .opens = true},
    [WEIR_MKNOD] = {.counted = WEIR_OP_MKNOD, .only = WEIR_OP_MKNOD},
    [WEIR_STAT] = {.counted = WEIR_OP_STAT, .only = WEIR_OP_STAT},
    [WEIR_LOOKUP] = {.counted = WEIR_OP_LOOKUP, .only = WEIR_OP_STAT},
    [WEIR_RENAME] = {.counted = WEIR_OP_RENAME, .only = WEIR_OP_RENAME},
    [WEIR_LINK] = {.counted = WEIR_OP_LINK, .only = WEIR_OP_LINK},
    [WEIR_SYMLINK] = {.counted = WEIR_OP_SYMLINK, .only = WEIR_OP_SYMLINK},
    [WEIR_CHMOD] = {.counted = WEIR_OP_CHMOD, .only = WEIR_OP_CHMOD},
    [WEIR_SETXATTR] = {.counted = WEIR_OP_SETXATTR, .only = WEIR_OP_SETXATTR},
    [WEIR_GETXATTR] = {.counted = WEIR_OP_GETXATTR, .only = WEIR_OP_GETXATTR},
    [WEIR_LIST] = {.counted = WEIR_OP_LIST, .only = WEIR_OP_LIST},
    [WEIR_LIST_STAT] = {.counted = WEIR_OP_LIST, .only = WEIR_OP_LIST},
    [WEIR_UNLINK] = {.counted = WEIR_OP_UNLINK, .only = WEIR_OP_UNLINK},
    [WEIR_MKDIR] = {.counted = WEIR_OP_MKDIR, .only = WEIR_OP_MKDIR},
    [WEIR_RMDIR] = {.counted = WEIR_OP_RMDIR, .only = WEIR_OP_RMDIR},
};

static struct weir_item_verb verb_of(const struct weir_names *names, enum weir_verb verb)
{
    struct weir_item_verb made = {.verb = verb, .counted = kinds[verb].counted};
    bool makes = verb == WEIR_CREATE;
    bool moves = names->bytes > 0 && (makes || verb == WEIR_READ_FILE);

    if (!kinds[verb].opens) {
        made.steps[made.step_count++] = kinds[verb].only;
        return made;
    }
    made.bytes = moves ? names->bytes : 0;
    made.steps[made.step_count++] = WEIR_OP_OPEN;
    if (moves)
        made.steps[made.step_count++] = makes ? WEIR_OP_WRITE : WEIR_OP_READ;
    if (makes && names->must_sync)
        made.steps[made.step_count++] = WEIR_OP_SYNC;
    made.steps[made.step_count++] = WEIR_OP_CLOSE;
    return made;
}

static void set_verbs(struct weir_items *items)
{
    const struct weir_names *names = items->names;

    if (items->phase->verb != WEIR_CYCLE) {
        items->verbs[0] = verb_of(names, items->phase->verb);
        items->verb_count = 1;
        return;
    }
    for (unsigned i = 0; i < names->cycle_count; i++)
        items->verbs[i] = verb_of(names, names->cycle[i]);
    items->verb_count = names->cycle_count;
}

enum weir_op_verb weir_items_counted_as(enum weir_verb verb)
{
    return kinds[verb].counted;
}

unsigned weir_items_counted(const struct weir_phase *phase)
{
    unsigned counted = 0;

    if (phase->verb != WEIR_CYCLE)
        return 1u << kinds[phase->verb].counted;
    for (unsigned i = 0; i < phase->names.cycle_count; i++)
        counted |= 1u << kinds[phase->names.cycle[i]].counted;
    return counted;
}

/* A link of a chain follows the one before, and a directory is made after the one that it is in,
 * and removed before. */
static bool is_in_order(const struct weir_items *items)
{
    enum weir_verb verb = items->phase->verb;

    return items->is_chain ||
           (items->are_directories && (verb == WEIR_MKDIR || verb == WEIR_RMDIR));
}

/* Of transfers, every queue that does not block has several in flight. */
static bool is_queued(const struct weir_items *items)
{
    unsigned queued = items->run->session->queued_names;

    if (items->run->queue.is_blocking || items->phase->depth == 1 || is_in_order(items) ||
        items->names->must_verify_made || items->run->strangers.count > 0)
        return false;
    for (unsigned i = 0; i < items->verb_count; i++)
        for (unsigned step = 0; step < items->verbs[i].step_count; step++)
            if (items->verbs[i].steps[step] > WEIR_OP_SYNC &&
                (queued & 1u << items->verbs[i].steps[step]) == 0)
                return false;
    return true;
}

/* ---- whose ---- */

uint64_t weir_items_tree_owner(const struct weir_run *run, const struct weir_phase *phase,
                               uint64_t owner)
{
    if (!phase->target->tree->is_own)
        return 0;
    return weir_shift_owner(&phase->names.tree_shift, &run->placement, owner);
}

/* A tree for all is made and removed by rank 0, which also removes what all share. */
static bool is_done_by_first_rank(const struct weir_items *items)
{
    const struct weir_names *names = items->names;
    enum weir_verb verb = items->phase->verb;
    bool is_tree_of_all = items->are_directories && !items->phase->target->tree->is_own;

    return names->by_first_rank || (is_tree_of_all && (verb == WEIR_MKDIR || verb == WEIR_RMDIR)) ||
           (names->is_shared && weir_verb_removes(verb));
}

/* The first rank does for each of them what they have of their own. */
static uint64_t owners_of_first_rank(const struct weir_items *items)
{
    bool is_for_each = items->names->by_first_rank && !items->names->is_shared &&
                       (!items->are_directories || items->phase->target->tree->is_own);

    return is_for_each ? (uint64_t)items->run->group->size : 1;
}

static void set_counts(struct weir_items *items)
{
    bool is_first = items->run->group->rank == 0;

    items->is_chain = items->phase->verb == WEIR_RENAME && items->names->new_item == NULL;
    items->owner = items->names->is_shared ? 0 : weir_run_owner(items->run, items->phase);
    items->per_owner = weir_phase_items(items->phase);
    if (items->is_chain)
        items->per_owner = items->per_owner > 1 ? items->per_owner + 1 : 0;
    items->count = items->per_owner;
    if (!is_done_by_first_rank(items))
        return;
    items->owner = 0;
    items->count = is_first ? items->per_owner * owners_of_first_rank(items) : 0;
}

static int set_owner(struct weir_items *items, struct weir_tree_paths *paths, const char *item,
                     uint64_t owner)
{
    const struct weir_target *target = items->phase->target;
    uint64_t tree_owner = weir_items_tree_owner(items->run, items->phase, owner);

    return weir_tree_paths_init(paths, target->tree,
                                &(struct weir_tree_names){
                                    .root = target->paths[tree_owner % target->path_count],
                                    .item = item,
                                    .tree_owner = tree_owner,
                                    .item_owner = owner,
                                    .repetition = items->run->repetition,
                                });
}

/* The rank so many before (or, `is_new`, behind) the one that is at work. */
static uint64_t owner_of_set(const struct weir_items *items, uint64_t set, bool is_new)
{
    uint64_t ranks = (uint64_t)items->run->group->size;
    uint64_t steps = items->names->rotation.stride % ranks * ((set + 1) % ranks) % ranks;

    return (items->owner + (is_new ? steps : ranks - steps)) % ranks;
}

static int init_rotation(struct weir_items *items)
{
    uint64_t sets = items->phase->target->tree->set_count;
    int code = 0;

    if (items->names->rotation.stride == 0)
        return 0;
    items->set_paths = calloc(2 * (size_t)sets, sizeof *items->set_paths);
    if (items->set_paths == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; i < 2 * sets && code == 0; i++)
        code = set_owner(items, &items->set_paths[i], items->names->item,
                         owner_of_set(items, i % sets, i >= sets));
    return code;
}

/* The same on all ranks: is something done in several directories of a tree? */
static bool tells_directories_apart(const struct weir_items *items)
{
    const struct weir_tree *tree = items->phase->target->tree;
    enum weir_verb verb = items->phase->verb;
    uint64_t directories = tree->set_count * weir_tree_directories(tree);

    if (items->are_directories && (verb == WEIR_MKDIR || verb == WEIR_RMDIR))
        return false;
    return directories > 1 && directories <= UINT64_MAX / (uint64_t)items->run->group->size;
}

/* Where the working set lies in this round. What removes it takes all that may be there: a run that
 * was cut has made more than the working set, and not where the plan has it. */
static void set_first(struct weir_items *items)
{
    const struct weir_rotation *rotation = &items->names->rotation;
    const struct weir_run *run = items->run;
    const struct weir_reach *reach = &run->reach;
    uint64_t end;

    items->first = rotation->first + run->repetition * rotation->advance;
    if (run->lag.target == items->phase->target)
        items->first -= run->lag.items;
    if (rotation->count == 0 || items->phase->verb != WEIR_UNLINK ||
        reach->target != items->phase->target)
        return;
    end = items->first + rotation->count;
    if (!reach->is_earlier || reach->end > end)
        end = reach->end;
    if (!reach->is_earlier || reach->first < items->first)
        items->first = reach->first;
    items->per_owner = items->count = (end - items->first) * items->phase->target->tree->set_count;
}

int weir_items_init(struct weir_items *items, const struct weir_run *run,
                    const struct weir_phase *phase)
{
    const struct weir_names *names = &phase->names;
    int code;

    *items = (struct weir_items){
        .run = run,
        .phase = phase,
        .names = names,
        .are_directories = names->item == NULL,
    };
    set_verbs(items);
    set_counts(items);
    set_first(items);
    items->is_queued = is_queued(items);
    items->present_owner = items->owner;
    code = set_owner(items, &items->paths, names->item, items->owner);
    if (code == 0 && names->new_item != NULL)
        code = set_owner(items, &items->new_paths, names->new_item, items->owner);
    if (code == 0)
        code = init_rotation(items);
    if (code != 0)
        return code;
    items->slots = calloc(run->queue.depth, sizeof *items->slots);
    if (tells_directories_apart(items))
        items->visits = calloc(1, sizeof *items->visits);
    return items->slots != NULL && (items->visits != NULL || !tells_directories_apart(items))
               ? 0
               : -ENOMEM;
}

int weir_strangers_compare(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

void weir_strangers_reserve(struct weir_strangers *strangers, size_t count)
{
    size_t room = 2 * strangers->room > count ? 2 * strangers->room : count;

    if (count <= strangers->room)
        return;
    /* To forget one would be to remove it later. */
    strangers->hashes = realloc(strangers->hashes, room * sizeof *strangers->hashes);
    if (strangers->hashes == NULL)
        weir_error_out_of_memory();
    strangers->room = room;
}

void weir_strangers_add(struct weir_strangers *strangers, const uint64_t *hashes, size_t count)
{
    if (count == 0)
        return;
    weir_strangers_reserve(strangers, strangers->count + count);
    memcpy(strangers->hashes + strangers->count, hashes, count * sizeof *hashes);
    strangers->count += count;
}

void weir_items_meet_stranger(struct weir_items *items, const struct weir_item_slot *slot)
{
    const char *path = slot->request.path;
    uint64_t hash;

    if (items->phase->verb == WEIR_LINK || items->phase->verb == WEIR_SYMLINK)
        path = slot->new_path;
    hash = weir_text_hash(path, strlen(path));
    weir_strangers_add(&items->met, &hash, 1);
}

uint64_t weir_items_even(const struct weir_items *items, uint64_t count)
{
    uint64_t sets = items->phase->target->tree->set_count;

    return items->names->rotation.working_set > 0 ? (count + sets - 1) / sets * sets : count;
}

/* Returns 0 if the name of an item that an earlier run has noted may be removed, -ENOENT, or why it
 * is left. A phase that moves no data does not know the size of items: it is that of the file. */
static int judge_earlier(const struct weir_items *items, const char *path, uint64_t place,
                         uint64_t owner)
{
    const struct weir_run *run = items->run;
    const struct weir_names *names = items->names;
    struct weir_item_data item = {.bytes = names->bytes,
                                  .owner = owner,
                                  .seed = names->payload.seed_is_given ? names->payload.seed : 0};
    struct weir_name_facts facts;
    int code;

    if (run->test->may_overwrite)
        return 0;
    code = weir_run_stat(run, path, &facts);
    if (code != 0)
        return code;
    if (item.bytes == 0)
        item.bytes = facts.bytes;
    item.offset = weir_items_data_place(item.bytes, names->payload.mode, place);
    return weir_ownership_judge_name(run, path, &facts, &item);
}

int weir_items_remove_range(struct weir_items *items, uint64_t first, uint64_t end,
                            char path[WEIR_PATH_BYTES])
{
    const struct weir_run *run = items->run;
    struct weir_tree_paths *paths = &items->paths;
    char left[WEIR_PATH_BYTES] = "";
    uint64_t left_count = 0;
    int left_code = 0;

    for (uint64_t set = 0; set < items->phase->target->tree->set_count; set++)
        for (uint64_t i = first; i < end && !weir_run_must_stop(run); i++) {
            uint64_t place = set * paths->items_per_set + i;
            int code;

            weir_tree_item_path(paths, place, path);
            code = judge_earlier(items, path, place, items->owner);
            if (code != 0 && code != -ENOENT && left_count++ == 0) {
                memcpy(left, path, sizeof left);
                left_code = code;
            }
            if (code == 0)
                code = weir_run_unlink(run, path);
            else
                code = 0;
            if (code != 0 && code != -ENOENT)
                return code;
        }
    if (left_count > 1)
        weir_log(WEIR_LOG_WARNING,
                 "%s, and %" PRIu64 " other names that an earlier run has noted, are not "
                 "removed: %s",
                 left, left_count - 1, weir_ownership_reason(left_code));
    else if (left_count == 1)
        weir_log(WEIR_LOG_WARNING, "%s, which an earlier run has noted, is not removed: %s", left,
                 weir_ownership_reason(left_code));
    return 0;
}

int weir_items_judge_earlier(struct weir_items *items)
{
    const struct weir_reach *reach = &items->run->reach;
    struct weir_item_slot *slot = &items->slots[0];

    if (items->phase->verb != WEIR_UNLINK || items->names->rotation.count == 0 ||
        reach->target != items->phase->target || !reach->has_earlier)
        return 0;
    for (uint64_t i = 0; i < items->count; i++) {
        int code;

        weir_items_choose(items, slot, i);
        code = judge_earlier(items, slot->path, slot->place, slot->owner);
        if (code == 0 || code == -ENOENT)
            continue;
        if (items->foreign == NULL)
            items->foreign = calloc((size_t)items->count, 1);
        if (items->foreign == NULL)
            return -ENOMEM;
        items->foreign[i] = -code <= UCHAR_MAX ? (unsigned char)-code : EIO;
        items->is_queued = false;
    }
    return 0;
}

void weir_items_fini(struct weir_items *items)
{
    free(items->slots);
    free(items->set_paths);
    free(items->visits);
    free(items->met.hashes);
    free(items->foreign);
    items->met = (struct weir_strangers){0};
    items->foreign = NULL;
    items->slots = NULL;
    items->set_paths = NULL;
    items->visits = NULL;
}

/* ---- paths ---- */

/* The first item is away under a name of its own while the others move up. */
static const char away[] = "-XX";

static void choose_link_of_chain(struct weir_items *items, struct weir_item_slot *slot,
                                 uint64_t link)
{
    uint64_t last = items->per_owner - 1;
    size_t length;

    length = weir_tree_item_path(&items->paths, link == last ? 0 : link, slot->path);
    if (link == last)
        memcpy(slot->path + length, away, sizeof away);
    length = weir_tree_item_path(&items->paths, link == 0 ? 0 : link - 1, slot->new_path);
    if (link == 0)
        memcpy(slot->new_path + length, away, sizeof away);
}

void weir_items_close_chain(struct weir_items *items, struct weir_item_slot *slot, uint64_t done)
{
    choose_link_of_chain(items, slot, items->per_owner - 1);
    weir_tree_item_path(&items->paths, done - 1, slot->new_path);
}

static void choose_paths(struct weir_items *items, struct weir_item_slot *slot, uint64_t index)
{
    bool removes = items->phase->verb == WEIR_RMDIR;

    if (items->is_chain) {
        choose_link_of_chain(items, slot, index);
    } else if (items->are_directories) {
        /* What lies in a directory goes before it. */
        weir_tree_directory_path(&items->paths, removes ? items->per_owner - 1 - index : index,
                                 slot->path);
    } else {
        weir_tree_item_path(&items->paths, index, slot->path);
        if (items->names->new_item != NULL)
            weir_tree_item_path(&items->new_paths, index, slot->new_path);
    }
}

/* Sets take turns; what is created lies behind the working set. */
static void choose_of_rotation(struct weir_items *items, struct weir_item_slot *slot,
                               uint64_t index)
{
    const struct weir_rotation *rotation = &items->names->rotation;
    uint64_t sets = items->phase->target->tree->set_count, set = index % sets;
    struct weir_tree_paths *paths =
        items->set_paths != NULL ? &items->set_paths[set] : &items->paths;
    struct weir_tree_paths *new_paths =
        items->set_paths != NULL ? &items->set_paths[sets + set] : &items->paths;

    slot->place = set * paths->items_per_set + items->first + index / sets;
    slot->owner = paths->names.item_owner;
    weir_tree_item_path(paths, slot->place, slot->path);
    slot->directory = paths->directory_number;
    if (items->phase->verb != WEIR_CYCLE)
        return;
    slot->new_place = slot->place + rotation->working_set;
    slot->new_owner = new_paths->names.item_owner;
    weir_tree_item_path(new_paths, slot->new_place, slot->new_path);
    slot->new_directory = new_paths->directory_number;
}

void weir_items_choose(struct weir_items *items, struct weir_item_slot *slot, uint64_t index)
{
    uint64_t within = index;

    slot->index = index;
    if (items->names->rotation.count > 0) {
        choose_of_rotation(items, slot, index);
        return;
    }
    if (__builtin_expect(items->count > items->per_owner, 0)) {
        uint64_t owner = index / items->per_owner;

        within = index % items->per_owner;
        if (owner != items->present_owner) {
            /* Paths of the first owner had room for the greatest numbers of all. */
            set_owner(items, &items->paths, items->names->item, owner);
            if (items->names->new_item != NULL)
                set_owner(items, &items->new_paths, items->names->new_item, owner);
            items->present_owner = owner;
        }
    }
    slot->place = within;
    slot->owner = items->present_owner;
    choose_paths(items, slot, within);
    slot->directory = items->paths.directory_number;
}

void weir_items_away_path(struct weir_items *items, uint64_t owner, char path[WEIR_PATH_BYTES])
{
    struct weir_item_slot *slot = &items->slots[0];

    weir_items_choose(items, slot, owner * items->per_owner);
    snprintf(path, WEIR_PATH_BYTES, "%.*s%s", WEIR_PATH_BYTES - (int)sizeof away, slot->path, away);
}

bool weir_items_are_near(const struct weir_items *items)
{
    const struct weir_group *group = items->run->group;
    uint64_t sets = items->set_paths != NULL ? items->phase->target->tree->set_count : 0;
    bool is_near = sets == 0 && group->node_of_rank[items->owner] == group->node;

    for (uint64_t i = 0; i < sets; i++)
        is_near |= group->node_of_rank[items->set_paths[i].names.item_owner] == group->node;
    return is_near && items->count > 0;
}
