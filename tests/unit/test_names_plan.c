/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of phases on trees: what is refused, and that their text says everything that matters. */
#include "weir/plan/need.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

#define ALL_VERBS                                                                                  \
    (WEIR_NAMES_RENAME | WEIR_NAMES_MKNOD | WEIR_NAMES_LINK | WEIR_NAMES_SYMLINK |                 \
     WEIR_NAMES_CHMOD | WEIR_NAMES_XATTR | WEIR_NAMES_LIST | WEIR_NAMES_SYNC_ALL)

static const struct weir_descriptor store = {.name = "store",
                                             .label = "STORE",
                                             .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP |
                                                          WEIR_CAN_NAME | WEIR_CAN_QUEUE,
                                             .name_verbs = ALL_VERBS};
static const struct weir_descriptor plain = {
    .name = "plain", .label = "PLAIN", .abilities = WEIR_CAN_NAME};
static const struct weir_descriptor nameless = {
    .name = "nameless", .label = "NAMELESS", .abilities = WEIR_CAN_KEEP, .name_verbs = ALL_VERBS};
static const struct weir_descriptor void_store = {
    .name = "void", .label = "VOID", .name_verbs = ALL_VERBS | WEIR_NAMES_ARE_VOID};
static const struct weir_descriptor wrapper = {
    .name = "wrapper", .label = "WRAPPER", .abilities = WEIR_WRAPS};

static const char *const one_path[] = {"out"};
static const char *const two_paths[] = {"out", "b/two"};
static const char *const empty_path[] = {""};
static const char *const slash_path[] = {"out/"};
static const char *const this_path[] = {"./"};

/* As mdtest does it: a tree, its items, and all of it removed. */
struct subject {
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_phase *tree_maker, *create, *stat, *read, *remove, *tree_remover;
    struct weir_target target, other_target;
    struct weir_tree tree;
};

static void open_subject(struct subject *x)
{
    static const char *const words[] = {"mdtest", "-d", "out"};
    struct weir_phase phase = {.depth = 1};
    struct weir_step *repeat;

    *x = (struct subject){
        .plan = weir_plan_open("mdtest", 3, words),
        .target = {.paths = one_path, .path_count = 1},
        .tree = {.top = "test-dir.%i-%s",
                 .node = "mdtest_tree.%k",
                 .set_count = 1,
                 .depth = 2,
                 .branching = 3,
                 .items_per_directory = 10},
    };
    x->target.tree = &x->tree;
    x->test = weir_plan_add_test(x->plan);
    x->test->backend = &store;
    x->test->repetitions = 2;
    repeat = weir_plan_add_repeat(x->plan, &x->test->steps, 2);
    phase.target = &x->target;
    phase.verb = WEIR_MKDIR;
    x->tree_maker = weir_plan_add_phase(x->plan, x->test, &repeat->body, &phase);
    phase.names.item = "file.mdtest.%r.%n";
    phase.verb = WEIR_CREATE;
    x->create = weir_plan_add_phase(x->plan, x->test, &repeat->body, &phase);
    phase.verb = WEIR_STAT;
    x->stat = weir_plan_add_phase(x->plan, x->test, &repeat->body, &phase);
    phase.verb = WEIR_READ_FILE;
    x->read = weir_plan_add_phase(x->plan, x->test, &repeat->body, &phase);
    phase.verb = WEIR_UNLINK;
    x->remove = weir_plan_add_phase(x->plan, x->test, &repeat->body, &phase);
    phase.verb = WEIR_RMDIR;
    phase.names.item = NULL;
    x->tree_remover = weir_plan_add_phase(x->plan, x->test, &repeat->body, &phase);
}

/* One change to a plan as a function, so that tables can hold it. */
#define CHANGE(name, ...)                                                                          \
    static void name(struct subject *x)                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

static void cycle(struct subject *x)
{
    x->stat->verb = WEIR_CYCLE;
    x->stat->names.cycle[0] = WEIR_STAT;
    x->stat->names.cycle[1] = WEIR_READ_FILE;
    x->stat->names.cycle[2] = WEIR_UNLINK;
    x->stat->names.cycle[3] = WEIR_CREATE;
    x->stat->names.cycle_count = 4;
}

static void own(struct subject *x)
{
    x->tree.is_own = true;
    x->tree.node = "mdtest_tree.%r.%k";
}

/* Works on 3 items of each set, and makes 3 others. */
static void rotate(struct subject *x)
{
    own(x);
    cycle(x);
    x->stat->names.rotation =
        (struct weir_rotation){.count = 3, .first = 2, .working_set = 3, .stride = 1};
}

static uint64_t rotation_end(const struct subject *x)
{
    return weir_tree_items(&x->tree) / x->tree.set_count;
}

static void share(struct subject *x)
{
    struct weir_phase *phases[] = {x->create, x->stat, x->read, x->remove};

    for (size_t i = 0; i < 4; i++) {
        phases[i]->names.item = "file.mdtest.shared.%n";
        phases[i]->names.is_shared = true;
    }
}

/* ---- what is refused ---- */

CHANGE(no_tree, x->target.tree = NULL)
CHANGE(tree_of_files, x->read->verb = WEIR_READ)
CHANGE(no_target, x->stat->target = NULL)
CHANGE(no_path, x->target.path_count = 0)
CHANGE(empty_name, x->target.paths = empty_path)
CHANGE(shared_tree_file, x->target.is_shared = true)
CHANGE(tree_device, x->target.is_device = true)
CHANGE(tree_of_repetition, x->target.is_new_each_repetition = true)
CHANGE(list_of_one_tree, x->target.paths = two_paths; x->target.path_count = 2)
CHANGE(no_set, x->tree.set_count = 0)
CHANGE(no_branch, x->tree.branching = 0)
CHANGE(no_node, x->tree.node = NULL)
CHANGE(huge_tree, x->tree.depth = 70)
CHANGE(huge_sets, x->tree.set_count = UINT64_C(1) << 60; x->tree.items_per_directory = 0)
CHANGE(huge_items, x->tree.items_per_directory = UINT64_C(1) << 60)
CHANGE(huge_numbers, x->tree.only_leaves = true; x->tree.items_per_directory = UINT64_MAX / 25)
CHANGE(huge_crowd, x->tree.crowded_count = 2; x->tree.crowded_items = UINT64_C(1) << 63)
CHANGE(crowd_of_all, x->tree.crowded_count = 13; x->tree.crowded_items = 11)
CHANGE(crowd_of_few, x->tree.crowded_count = 2; x->tree.crowded_items = 10)
CHANGE(crowd_of_none, x->tree.crowded_items = 11)
CHANGE(crowd_without_number, x->create->names.item = "%r"; x->tree.items_per_directory = 1;
       x->tree.crowded_count = 2; x->tree.crowded_items = 2)
CHANGE(long_chain, x->tree.branching = 1; x->tree.depth = 1000)
CHANGE(bad_top, x->tree.top = "a/b")
CHANGE(bad_node, x->tree.node = "n.%n")
CHANGE(bad_item, x->create->names.item = "%q")
CHANGE(bad_new_item, x->stat->verb = WEIR_LINK; x->stat->names.new_item = "..")
CHANGE(own_without_rank, x->tree.is_own = true)
CHANGE(common_with_rank, x->tree.top = "%r")
CHANGE(sets_without_number, x->tree.set_count = 2; x->tree.top = "top%%s")
CHANGE(nodes_without_number, x->tree.node = "node")
CHANGE(items_without_number, x->create->names.item = "%r")
CHANGE(items_without_rank, x->create->names.item = "%n")
CHANGE(shared_with_rank, share(x); x->create->names.item = "%r.%n")
CHANGE(items_like_nodes, own(x); x->tree.node = "%r.%k"; x->create->names.item = "%r.%k";
       x->tree.items_per_directory = 1)
CHANGE(create_of_tree, x->create->names.item = NULL)
CHANGE(stat_of_tree, x->stat->names.item = NULL)
CHANGE(list_of_items, x->stat->verb = WEIR_LIST)
CHANGE(link_without_name, x->stat->verb = WEIR_LINK)
CHANGE(symlink_without_name, x->stat->verb = WEIR_SYMLINK)
CHANGE(stat_with_new_name, x->stat->names.new_item = "%r.%n")
CHANGE(rename_to_itself, x->stat->verb = WEIR_RENAME; x->stat->names.new_item = "file.mdtest.%r.%n")
CHANGE(create_of_directories, x->create->names.is_directory = true)
CHANGE(mkdir_of_files, x->create->verb = WEIR_MKDIR)
CHANGE(rmdir_of_files, x->remove->verb = WEIR_RMDIR)
CHANGE(shared_directories, share(x); x->create->verb = WEIR_MKDIR;
       x->create->names.is_directory = true)
CHANGE(shared_in_own, own(x); share(x))
CHANGE(shared_exclusive, share(x); x->create->names.is_exclusive = true)
CHANGE(shared_rename, share(x); x->stat->verb = WEIR_RENAME)
CHANGE(shared_cycle, share(x); cycle(x))
CHANGE(varying_shift, x->stat->shift.kind = WEIR_SHIFT_NODES_OR_RANKS; x->stat->shift.varies = true)
CHANGE(shifted_tree, x->tree_maker->shift.kind = WEIR_SHIFT_NODES)
CHANGE(tree_shift_of_one, x->stat->names.tree_shift.kind = WEIR_SHIFT_NODES)
CHANGE(random_blocks, x->stat->names.order = WEIR_ORDER_RANDOM_BLOCKS)
CHANGE(shuffled_tree, x->tree_remover->names.order = WEIR_ORDER_SHUFFLED)
CHANGE(wear_out_alone, x->create->stop.has_wear_out = true)
CHANGE(deadline_of_tree, x->tree_maker->stop.deadline_ns = S)
CHANGE(deadline_of_remove, x->remove->stop.deadline_ns = S)
CHANGE(limit_of_remove, x->remove->stop.op_limit = 1)
CHANGE(create_again, x->create->stop.minimum_ns = S)
CHANGE(empty_status, x->create->stop.status_path = "")
CHANGE(status_of_tree, x->tree_maker->stop.status_path = "s")
CHANGE(status_of_cut_create, x->create->stop.status_path = "s"; x->create->stop.deadline_ns = S)
CHANGE(status_of_cut_first_rank, x->create->stop.status_path = "s"; x->create->stop.deadline_ns = S;
       x->create->stop.has_wear_out = true; x->create->names.by_first_rank = true)
CHANGE(status_in_tree, x->create->stop.status_path = "out/test-dir.0-0/s")
CHANGE(result_as_root, x->plan->output.result_path = "./out")
CHANGE(result_in_tree, x->plan->output.result_path = "out//test-dir.12-345")
CHANGE(result_in_slashed, x->target.paths = slash_path;
       x->plan->output.result_path = "out/test-dir.1-0/r")
CHANGE(result_in_this, x->target.paths = this_path; x->plan->output.result_path = "test-dir.1-0/r")
CHANGE(bytes_of_stat, x->stat->names.bytes = 1)
CHANGE(huge_bytes, x->create->names.bytes = WEIR_ITEM_BYTES_MAX + 1)
CHANGE(pattern_of_stamps, x->create->names.payload.pattern = WEIR_IOR_OFFSET)
CHANGE(verifying_stat, x->stat->names.must_verify = true)
CHANGE(verifying_read_made, x->read->names.must_verify_made = true)
CHANGE(syncing_read, x->read->names.must_sync = true)
CHANGE(exclusive_mknod, x->create->verb = WEIR_MKNOD; x->create->names.is_exclusive = true)
CHANGE(verifying_nothing, x->read->names.must_verify = true)
CHANGE(verifying_no_content, x->read->names.must_verify = true; x->read->names.bytes = 1;
       x->read->names.payload.mode = WEIR_PAYLOAD_NONE)
CHANGE(verifying_void, x->test->backend = &void_store; x->read->names.must_verify = true;
       x->read->names.bytes = 1)
CHANGE(empty_command, x->stat->names.command_after = "")
CHANGE(no_cycle, x->stat->names.cycle_count = 1)
CHANGE(empty_cycle, cycle(x); x->stat->names.cycle_count = 0)
CHANGE(long_cycle, cycle(x); x->stat->names.cycle_count = 9)
CHANGE(cycle_of_cycles, cycle(x); x->stat->names.cycle[1] = WEIR_CYCLE)
CHANGE(cycle_of_lists, cycle(x); x->stat->names.cycle[1] = WEIR_LIST)
CHANGE(cycle_of_writes, cycle(x); x->stat->names.cycle[1] = WEIR_WRITE)
CHANGE(cycle_of_nothing, cycle(x); x->stat->names.cycle[1] = (enum weir_verb)WEIR_VERB_COUNT)
CHANGE(cycle_of_chains, cycle(x); x->stat->names.cycle[1] = WEIR_RENAME)
CHANGE(cycle_of_directories, cycle(x); x->stat->names.cycle[1] = WEIR_MKDIR)
CHANGE(cycle_on_directories, cycle(x); x->stat->names.is_directory = true)
CHANGE(rotation_of_nothing, rotate(x); x->stat->names.rotation.count = 0)
CHANGE(shared_rotation, share(x); x->stat->names.rotation.count = 1)
CHANGE(shifted_rotation, rotate(x); x->stat->shift.kind = WEIR_SHIFT_NODES)
CHANGE(shuffled_rotation, rotate(x); x->stat->names.order = WEIR_ORDER_SHUFFLED)
CHANGE(rotation_of_one_tree, x->stat->names.rotation.count = 1; x->stat->names.rotation.stride = 1)
CHANGE(long_rotation, rotate(x); x->stat->names.rotation.count = 4)
CHANGE(far_rotation, rotate(x); x->stat->names.rotation.first = rotation_end(x) - 5)
CHANGE(torn_rotation, rotate(x); x->stat->stop.deadline_ns = S)
CHANGE(pause_in_flight, x->stat->think_ppm = 1; x->stat->depth = 8)
CHANGE(pause_with_rate, x->stat->think_ppm = 1;
       x->stat->rate = (struct weir_rate){WEIR_ARRIVALS_CONSTANT, 5, false, false})
CHANGE(endless_pause, x->stat->think_ppm = UINT64_C(2000000000))
CHANGE(endless_rotation, rotate(x); x->stat->names.rotation.first = UINT64_MAX)
CHANGE(cycle_of_unknown_links, cycle(x); x->test->backend = &plain;
       x->stat->names.cycle[1] = WEIR_CHMOD)
CHANGE(no_depth, x->stat->depth = 0)
CHANGE(deep_blocking, x->test->backend = &plain; x->stat->depth = 2)
CHANGE(search, x->remove->depth = 8; x->remove->must_find_depth = true)
CHANGE(search_of_shared, share(x); x->create->depth = 8; x->create->must_find_depth = true)
CHANGE(search_with_rate, x->stat->depth = 8; x->stat->must_find_depth = true;
       x->stat->rate = (struct weir_rate){WEIR_ARRIVALS_POISSON, 5, false, false})
CHANGE(rate_in_bytes, x->stat->rate = (struct weir_rate){WEIR_ARRIVALS_POISSON, 5, true, false})
CHANGE(no_rate, x->stat->rate = (struct weir_rate){WEIR_ARRIVALS_POISSON, 0, false, false})
CHANGE(open_files, x->stat->leaves_open = true)
CHANGE(checking_stat, x->stat->is_check = true)
CHANGE(filling_create, x->create->is_prefill = true)
CHANGE(clean_remove, x->remove->names.only_if_clean = true)
CHANGE(backend_without_names, x->test->backend = &nameless)
CHANGE(backend_without_rename, x->test->backend = &plain; x->stat->verb = WEIR_RENAME)
CHANGE(backend_without_mknod, x->test->backend = &plain; x->create->verb = WEIR_MKNOD)
CHANGE(backend_without_list, x->test->backend = &plain; x->stat->verb = WEIR_LIST_STAT;
       x->stat->names.item = NULL)
CHANGE(backend_without_sync, x->test->backend = &plain; x->stat->names.must_sync_all = true)
CHANGE(wrapped_without_xattr, x->test->backend = &wrapper; x->test->inner = &plain;
       x->stat->verb = WEIR_GETXATTR)

static const struct {
    void (*change)(struct subject *x);
    const char *sentence; /* behind "mdtest: ": its beginning */
    const char *way_out;
} senseless_plans[] = {
    {no_tree, "mkdir works on the items of a tree", "give a tree"},
    {tree_of_files, "read works on files", "give a file"},
    {no_target, "stat without a directory", "give a path"},
    {no_path, "mkdir without a directory", "give a path"},
    {empty_name, "empty path", "name of a directory"},
    {shared_tree_file, "a tree whose path", "leave the words of files out"},
    {tree_device, "a tree whose path", "leave the words of files out"},
    {tree_of_repetition, "a tree whose path", "leave the words of files out"},
    {list_of_one_tree, "2 paths for one tree", "one path, or each rank a tree"},
    {no_set, "0 sets of directories", "at least one"},
    {no_branch, "a tree of depth 2 whose directories have no directories", "at least 1"},
    {no_node, "a tree of depth 2 whose directories have no names", "or depth 0"},
    {huge_tree, "a tree of depth 70 with branching factor 3 has more", "smaller numbers"},
    {huge_sets, "a tree of depth 2 with branching factor 3 has more", "smaller numbers"},
    {huge_items, "1152921504606846976 items in each of 13", "smaller numbers"},
    {huge_numbers, "737869762948382064 items in each of 13", "smaller numbers"},
    {huge_crowd, "9223372036854775808 items in each of 13", "smaller numbers"},
    {crowd_of_all, "13 of 13 directories with 11 items", "not all"},
    {crowd_of_few, "2 of 13 directories with 10 items each and the others with 10", "more than"},
    {crowd_of_none, "0 of 13 directories with 11", "let some"},
    {crowd_without_number, "several items in each directory", "%n"},
    {long_chain, "the longest path in out is too long", "shorter names"},
    {bad_top, "\"a/b\", \"mdtest_tree.%k\" and \"\" are not all patterns", "use no slash"},
    {bad_node, "\"test-dir.%i-%s\", \"n.%n\" and \"\" are not all", "n in names of items"},
    {bad_item, "\"test-dir.%i-%s\", \"mdtest_tree.%k\" and \"%q\" are", "use no slash"},
    {bad_new_item, "\"test-dir.%i-%s\", \"mdtest_tree.%k\" and \"..\" are", "use no slash"},
    {own_without_rank, "a tree for each rank, and no rank", "%r"},
    {common_with_rank, "a rank in the names of directories", "a tree of its own"},
    {sets_without_number, "several sets of directories", "%s"},
    {nodes_without_number, "several directories in each one", "%k"},
    {items_without_number, "several items in each directory", "%n"},
    {items_without_rank, "items of several ranks in one directory", "%r"},
    {shared_with_rank, "one set of items for all ranks, and a rank", "leave %r out"},
    {items_like_nodes, "items and directories of the tree", "different patterns"},
    {create_of_tree, "create without items", "pattern of their names"},
    {stat_of_tree, "stat without items", "pattern of their names"},
    {list_of_items, "list works on the directories", "leave its items out"},
    {link_without_name, "link without new names", "give their pattern"},
    {symlink_without_name, "symlink without new names", "give their pattern"},
    {stat_with_new_name, "stat makes no second names", "leave their pattern out"},
    {rename_to_itself, "old and new names are the same", "different patterns"},
    {create_of_directories, "create works on files", "choose one"},
    {mkdir_of_files, "mkdir works on directories", "choose one"},
    {rmdir_of_files, "rmdir works on directories", "choose one"},
    {shared_directories, "directories that all ranks make", "share files"},
    {shared_in_own, "one set of items for all ranks, and a tree for each", "choose one"},
    {shared_exclusive, "one set of items for all ranks, each of which", "choose one"},
    {shared_rename, "rename of items that all ranks share", "of its own"},
    {shared_cycle, "cycle of items that all ranks share", "of its own"},
    {varying_shift, "an order of ranks that is not random cannot vary", "a random one"},
    {shifted_tree, "mkdir of a tree is the work of its own rank", "leave the shift out"},
    {tree_shift_of_one, "a shift between trees", "a tree of its own"},
    {random_blocks, "items have no blocks", "shuffled order"},
    {shuffled_tree, "rmdir of a tree goes level by level", "leave the order out"},
    {wear_out_alone, "wear-out without a deadline", "give the deadline"},
    {deadline_of_tree, "mkdir is done for all", "leave the deadline"},
    {deadline_of_remove, "unlink is done for all", "leave the deadline"},
    {limit_of_remove, "unlink is done for all", "and the limit out"},
    {create_again, "create cannot be done again", "leave the least time out"},
    {empty_status, "the path of the status file has 0 bytes", "1 to 4095"},
    {status_of_tree, "a status file counts items, and mkdir", "leave it out"},
    {status_of_cut_create, "status file s would promise", "add wear-out"},
    {status_of_cut_first_rank, "status file s counts the items of each rank", "deadline out"},
    {status_in_tree, "status file out/test-dir.0-0/s is in the trees", "of its own"},
    {result_as_root, "result file ./out is in the trees", "of its own"},
    {result_in_tree, "result file out//test-dir.12-345 is in the trees", "of its own"},
    {result_in_slashed, "result file out/test-dir.1-0/r is in the trees", "of its own"},
    {result_in_this, "result file test-dir.1-0/r is in the trees", "of its own"},
    {bytes_of_stat, "stat moves no data", "leave the bytes out"},
    {huge_bytes, "items of 1073741825 bytes", "at most 1073741824"},
    {pattern_of_stamps, "a pattern of IOR's", "choose one"},
    {verifying_stat, "stat reads nothing", "read files"},
    {verifying_read_made, "read-file writes nothing", "create files"},
    {syncing_read, "read-file has nothing to sync", "files that are created"},
    {exclusive_mknod, "mknod makes no files by opening", "leave"},
    {verifying_nothing, "files without data", "give the bytes"},
    {verifying_no_content, "data without content", "another payload"},
    {verifying_void, "backend void keeps no data", "another backend"},
    {empty_command, "an empty command around stat", "leave it out"},
    {no_cycle, "stat is no cycle", "leave its operations out"},
    {empty_cycle, "a cycle of 0 operations", "1 to 8"},
    {long_cycle, "a cycle of 9 operations", "1 to 8"},
    {cycle_of_cycles, "cycle in a cycle", "operations on items"},
    {cycle_of_lists, "list in a cycle", "operations on items"},
    {cycle_of_writes, "write in a cycle", "operations on items"},
    {cycle_of_nothing, "an unknown verb in a cycle", "operations on items"},
    {cycle_of_chains, "rename in a cycle without new names", "pattern"},
    {cycle_of_directories, "mkdir in a cycle on files", "other items"},
    {cycle_on_directories, "read-file in a cycle on directories", "other items"},
    {rotation_of_nothing, "a working set that moves on by no items", "leave it out"},
    {shared_rotation, "stat of a working set that moves on", "files of its own"},
    {shifted_rotation, "a working set that moves on says itself", "leave shift"},
    {shuffled_rotation, "a working set that moves on says itself", "order out"},
    {rotation_of_one_tree, "a working set that moves through trees", "a tree of its own"},
    {long_rotation, "4 items of a working set of 3", "no more items"},
    {far_rotation, "a working set that moves beyond", "more of them"},
    {torn_rotation, "a working set that moves on until a deadline", "add wear-out"},
    {pause_in_flight, "pauses in parts of what operations take, and several", "choose one of both"},
    {pause_with_rate, "pauses in parts of what operations take, and a rate", "choose one of both"},
    {endless_pause, "pauses of 2000 times", "give at most 1000"},
    {endless_rotation, "a working set that moves beyond", "more of them"},
    {cycle_of_unknown_links, "backend plain has no chmod", "posix"},
    {no_depth, "queue depth 0", "1 to 4096"},
    {deep_blocking, "queue depth 2: backend plain", "depth 1"},
    {search, "the best depth is to be found, trials of unlink", "give it a depth"},
    {search_of_shared, "the best depth is to be found, trials of create", "give it a depth"},
    {search_with_rate, "the best depth of a closed loop", "leave the rate out"},
    {rate_in_bytes, "a rate in bytes, and stat moves none", "operations per second"},
    {no_rate, "a rate of 0 per second", "above 0"},
    {open_files, "stat leaves its file open", "leave"},
    {checking_stat, "stat is no check", "add a read"},
    {filling_create, "create cannot fill files", "only writes"},
    {clean_remove, "unlink cannot wait for clean data", "only removals"},
    {backend_without_names, "backend nameless has no names", "posix"},
    {backend_without_rename, "backend plain has no rename", "posix"},
    {backend_without_mknod, "backend plain has no mknod", "posix"},
    {backend_without_list, "backend plain has no list", "posix"},
    {backend_without_sync, "backend plain has no sync of a file system", "posix"},
    {wrapped_without_xattr, "backend wrapper has no getxattr", "posix"},
};

static void senseless_plans_are_refused_with_a_way_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof senseless_plans / sizeof *senseless_plans; i++) {
        const char *sentence = senseless_plans[i].sentence;
        struct weir_error error = {0};
        struct subject subject;

        open_subject(&subject);
        senseless_plans[i].change(&subject);
        if (weir_plan_check(subject.plan, &error) != -EINVAL || error.exit != WEIR_EXIT_USAGE ||
            strncmp(error.text, "mdtest: ", 8) != 0 ||
            strncmp(error.text + 8, sentence, strlen(sentence)) != 0 ||
            !strstr(error.text, senseless_plans[i].way_out))
            fail_msg("expected \"%s ... %s\", got \"%s\"", sentence, senseless_plans[i].way_out,
                     error.text);
        weir_plan_close(subject.plan);
    }
}

/* ---- what is accepted ---- */

CHANGE(nothing, (void)x)
CHANGE(no_items, x->tree.items_per_directory = 0)
CHANGE(list_of_own_trees, own(x); x->target.paths = two_paths; x->target.path_count = 2)
CHANGE(flat_sets, x->tree = ((struct weir_tree){
                      .top = "%r_%s", .set_count = 5, .items_per_directory = 9, .is_own = true});
       x->create->names.item = "file-%n")
CHANGE(bare_items, x->tree = ((struct weir_tree){.set_count = 1, .items_per_directory = 9}))
CHANGE(chain_of_nodes, x->tree.branching = 1; x->tree.node = "deeper")
CHANGE(single_items, x->tree.items_per_directory = 1; x->create->names.item = "one.%r.%k")
CHANGE(slashed, x->target.paths = slash_path; x->plan->output.result_path = "out/result")
CHANGE(result_beside, x->plan->output.result_path = "out/test-dir.0-0.jsonl";
       x->plan->output.summary_path = "output"; x->create->stop.status_path = "out/status")
CHANGE(result_of_absolute, x->target.paths = this_path;
       x->plan->output.result_path = "/test-dir.0-0/r")
CHANGE(directories, x->create->verb = WEIR_MKDIR; x->create->names.is_directory = true;
       x->read->verb = WEIR_RENAME; x->read->names.is_directory = true;
       x->remove->verb = WEIR_RMDIR; x->remove->names.is_directory = true)
CHANGE(data_of_files, x->create->names.bytes = WEIR_ITEM_BYTES_MAX;
       x->create->names.must_sync = true; x->create->names.must_verify_made = true;
       x->create->names.is_exclusive = true; x->read->names.bytes = 1;
       x->read->names.must_verify = true)
CHANGE(ior_data, x->create->names.payload = ((struct weir_payload){.mode = WEIR_PAYLOAD_IOR,
                                                                   .pattern = WEIR_IOR_RANDOM}))
CHANGE(shifted, own(x); x->stat->shift.kind = WEIR_SHIFT_NODES_OR_RANKS;
       x->stat->shift.distance = 2; x->stat->names.tree_shift = x->stat->shift)
CHANGE(stonewall, x->create->stop.deadline_ns = S; x->create->stop.has_wear_out = true;
       x->create->stop.status_path = "s"; x->stat->stop.status_path = "s";
       x->stat->stop.minimum_ns = S; x->stat->stop.op_limit = 5)
CHANGE(links, x->stat->verb = WEIR_LINK; x->stat->names.new_item = "link.%r.%n")
CHANGE(full_cycle, cycle(x); x->stat->names.cycle[4] = WEIR_RENAME;
       x->stat->names.cycle[5] = WEIR_LINK; x->stat->names.cycle_count = 6;
       x->stat->names.new_item = "new.%r.%n"; x->stat->names.bytes = 3901;
       x->stat->names.must_verify = true; x->stat->names.must_sync = true;
       x->stat->rate = ((struct weir_rate){WEIR_ARRIVALS_POISSON, 5, false, true}))
CHANGE(rotated_to_the_end, rotate(x); x->stat->names.rotation.first = rotation_end(x) - 6)
CHANGE(lists, x->stat->verb = WEIR_LIST; x->stat->names.item = NULL;
       x->stat->names.order = WEIR_ORDER_SHUFFLED)
CHANGE(deep, x->stat->depth = 32)
CHANGE(loads, x->stat->think_ns = 1)
CHANGE(commands, x->stat->names.command_before = "sync"; x->stat->names.command_after = "sync";
       x->stat->names.must_sync_all = true)
CHANGE(first_rank, x->create->names.by_first_rank = true; x->remove->names.by_first_rank = true)
CHANGE(of_void, x->test->backend = &void_store; x->stat->verb = WEIR_CHMOD)
CHANGE(of_wrapped, x->test->backend = &wrapper; x->test->inner = &store;
       x->stat->verb = WEIR_GETXATTR)

static void sensible_plans_are_accepted(void **state)
{
    static void (*const changes[])(struct subject *) = {
        nothing,
        no_items,
        list_of_own_trees,
        flat_sets,
        bare_items,
        chain_of_nodes,
        slashed,
        directories,
        result_of_absolute,
        ior_data,
        shifted,
        result_beside,
        stonewall,
        links,
        data_of_files,
        full_cycle,
        lists,
        single_items,
        deep,
        loads,
        commands,
        first_rank,
        of_void,
        of_wrapped,
        share,
        own,
        cycle,
        rotate,
        rotated_to_the_end,
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct weir_error error = {0};
        struct weir_need need;
        struct subject subject;

        open_subject(&subject);
        changes[i](&subject);
        if (weir_plan_freeze(subject.plan, &error))
            fail_msg("case %zu: %s", i, error.text);
        weir_test_need(subject.test, &need);
        assert_null(need.target);
        assert_int_equal(weir_test_nesting(subject.test), 1);
        weir_plan_close(subject.plan);
    }
}

/* ---- room ---- */

static void leave_alone(struct subject *x)
{
    (void)x;
}

CHANGE(keep_all, x->remove->verb = WEIR_STAT; x->tree_remover->verb = WEIR_LIST)
CHANGE(keep_all_at_one_place, keep_all(x); x->tree.top = "test-dir.%s")
CHANGE(write_data, x->create->names.bytes = 100)
CHANGE(keep_data, keep_all(x); write_data(x))
CHANGE(cut, x->create->stop.deadline_ns = S)
CHANGE(make_directories, x->create->verb = WEIR_MKDIR; x->create->names.is_directory = true)
CHANGE(replace_directories, x->stat->verb = WEIR_CREATE; make_directories(x);
       x->read->verb = WEIR_RMDIR; x->read->names.is_directory = true)
CHANGE(remove_directories_first, x->stat->verb = WEIR_RMDIR; x->stat->names.is_directory = true;
       make_directories(x); x->read->verb = WEIR_CREATE)
CHANGE(make_links, x->stat->verb = WEIR_SYMLINK; x->read->verb = WEIR_UNLINK;
       x->read->names.item = "file.mdtest.%r.%n.link")
CHANGE(make_nothing, x->tree_maker->verb = WEIR_LIST; x->create->verb = WEIR_STAT)
CHANGE(make_far_too_much, keep_data(x); x->tree.items_per_directory = UINT64_MAX / 20)

/* 13 directories with 10 items each, in two repetitions. */
static void a_tree_needs_what_there_is_of_it_at_one_time(void **state)
{
    static const struct {
        void (*change)(struct subject *x);
        uint64_t items, bytes, directories, tops;
    } cases[] = {
        {leave_alone, 130, 0, 13, 1},
        {write_data, 130, 13000, 13, 1},
        {cut, 130, 0, 13, 1},
        {keep_all, 260, 0, 26, 2},
        {keep_data, 260, 26000, 26, 2},
        {keep_all_at_one_place, 130, 0, 13, 1},
        {make_directories, 260, 0, 13, 1},
        {replace_directories, 260, 0, 13, 1},
        {remove_directories_first, 130, 0, 13, 1},
        {make_links, 130, 0, 13, 1},
        {make_nothing, 0, 0, 0, 0},
        {make_far_too_much, UINT64_MAX, UINT64_MAX, 26, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_tree_need need;
        struct subject x;

        open_subject(&x);
        cases[i].change(&x);
        weir_test_tree_need(x.test, &need);
        if (need.items != cases[i].items || need.bytes != cases[i].bytes ||
            need.directories != cases[i].directories || need.tops != cases[i].tops)
            fail_msg("case %zu: %llu items, %llu bytes, %llu directories, %llu tops", i,
                     (unsigned long long)need.items, (unsigned long long)need.bytes,
                     (unsigned long long)need.directories, (unsigned long long)need.tops);
        assert_int_equal(need.phase != NULL, cases[i].change != make_nothing);
        assert_int_equal(need.may_be_cut, cases[i].change == cut);
        weir_plan_close(x.plan);
    }
}

/* ---- explaining ---- */

static void add_explanation(struct weir_text *text, void (*change)(struct subject *x))
{
    struct subject subject;

    open_subject(&subject);
    change(&subject);
    weir_plan_explain(subject.plan, text);
    weir_plan_close(subject.plan);
}

static void assert_explained(void (*change)(struct subject *x), const char *expected)
{
    struct weir_text text = {0};

    add_explanation(&text, change);
    assert_string_equal(weir_text_string(&text), expected);
    weir_text_close(&text);
}

static void explanation_of_a_typical_plan_reads_well(void **state)
{
    (void)state;
    assert_explained(
        nothing,
        "plan   mdtest\n"
        "test 0  STORE  trees in out  one for all ranks: 1 set test-dir.%i-%s, 13 directories "
        "mdtest_tree.%k, 3 in each down to depth 2, 10 items in each\n"
        "  repeat 2\n"
        "    mkdir     directories of the trees, in order\n"
        "    create    130 files file.mdtest.%r.%n per rank, in order\n"
        "    stat      130 files file.mdtest.%r.%n per rank, in order\n"
        "    read-file 130 files file.mdtest.%r.%n per rank, in order\n"
        "    unlink    130 files file.mdtest.%r.%n per rank, in order\n"
        "    rmdir     directories of the trees, in order\n");
}

static void elaborate(struct subject *x)
{
    x->tree = (struct weir_tree){.top = "%r_%s",
                                 .set_count = 5,
                                 .items_per_directory = 9,
                                 .only_leaves = true,
                                 .is_own = true};
    x->target.paths = two_paths;
    x->target.path_count = 2;
    x->create->names.bytes = 3901;
    x->create->names.payload =
        (struct weir_payload){.mode = WEIR_PAYLOAD_FULL, .seed_is_given = true, .seed = 3};
    x->create->names.is_exclusive = x->create->names.must_verify_made = true;
    x->create->names.must_sync = x->create->names.must_sync_all = true;
    x->create->stop = (struct weir_stop){
        .deadline_ns = S, .has_wear_out = true, .op_limit = 7, .status_path = "status"};
    full_cycle(x);
    x->stat->names.order = WEIR_ORDER_SHUFFLED;
    x->stat->names.seed_is_given = true;
    x->stat->names.seed = 8;
    x->stat->shift = (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = 2};
    x->stat->names.tree_shift = (struct weir_shift){.kind = WEIR_SHIFT_NODES, .distance = 1};
    x->stat->depth = 4;
    x->read->names.order = WEIR_ORDER_SHUFFLED;
    x->read->think_ns = S;
    x->read->names.command_before = "one\ntwo";
    x->read->names.command_after = "three";
    x->read->names.command_ranks = WEIR_COMMAND_EACH_NODE;
    x->read->stop = (struct weir_stop){.minimum_ns = S, .status_path = "status"};
    x->remove->verb = WEIR_RENAME;
    x->remove->names.is_directory = true;
    x->remove->names.by_first_rank = true;
    x->tree_remover->target = &x->other_target;
    x->other_target = x->target;
    x->other_target.path_count = 1;
}

static void explanation_of_an_elaborate_plan_says_it_all(void **state)
{
    (void)state;
    assert_explained(
        elaborate,
        "plan   mdtest\n"
        "test 0  STORE  trees in out, b/two  one for each rank: 5 sets %r_%s, items numbered "
        "below 9\n"
        "  repeat 2\n"
        "    mkdir     directories of the trees, in order\n"
        "    create    45 files file.mdtest.%r.%n per rank, in order; 3901 bytes each; every word "
        "of data differs; data seed 3; only files that are not there; verify what was written; "
        "sync each; sync the file system at the end; stop after 1 s, when all have done as much as "
        "the furthest; at most 7 operations per rank; furthest count to status\n"
        "    cycle     stat, read-file, unlink, create, rename, link of 45 files file.mdtest.%r.%n "
        "per rank, shuffled with seed 8; new names new.%r.%n; items of the rank 2 nodes further, "
        "or 2 ranks on a single node; in the tree of the rank 1 node further; 3901 bytes each; "
        "verify; sync each; depth 4; at 5 operations per second of each rank, Poisson\n"
        "    read-file 45 files file.mdtest.%r.%n per rank, shuffled; pause 1 s after each "
        "operation; again until 1 s are over; furthest count from status; command before on the "
        "first rank "
        "of each node: one?two; command after on the first rank of each node: three\n"
        "    rename    45 directories file.mdtest.%r.%n per rank, in order; in a chain; rank 0 for "
        "all ranks\n"
        "    rmdir     directories of the trees, in order; trees in out  one for each rank: 5 sets "
        "%r_%s, items numbered below 9\n");
}

CHANGE(with_data, x->create->names.bytes = 5)
CHANGE(change_root, x->target.paths = this_path)
CHANGE(change_roots, x->target.paths = two_paths; x->target.path_count = 2)
CHANGE(change_top, x->tree.top = "a.%i-%s")
CHANGE(change_no_top, x->tree.top = NULL)
CHANGE(change_node, x->tree.node = "a.%k")
CHANGE(change_no_node, x->tree.node = NULL)
CHANGE(change_sets, x->tree.set_count = 2)
CHANGE(change_tree_depth, x->tree.depth = 1)
CHANGE(change_branching, x->tree.branching = 2)
CHANGE(change_items, x->tree.items_per_directory = 11)
CHANGE(change_crowd, x->tree.crowded_count = 1; x->tree.crowded_items = 12)
CHANGE(change_leaves, x->tree.only_leaves = true)
CHANGE(change_own, x->tree.is_own = true)
CHANGE(change_one_tree, x->other_target = x->target; x->stat->target = &x->other_target;
       static struct weir_tree other; other = x->tree; other.set_count = 3;
       x->other_target.tree = &other)
CHANGE(change_verb, x->stat->verb = WEIR_LOOKUP)
CHANGE(change_tree_verb, x->stat->names.item = NULL)
CHANGE(change_item, x->stat->names.item = "a.%r.%n")
CHANGE(change_kind, x->stat->names.is_directory = true)
CHANGE(change_shared, x->stat->names.is_shared = true)
CHANGE(change_first_rank, x->stat->names.by_first_rank = true)
CHANGE(change_rename, x->stat->verb = WEIR_RENAME)
CHANGE(change_new_item, x->stat->verb = WEIR_RENAME; x->stat->names.new_item = "a.%r.%n")
CHANGE(change_new_item_more, x->stat->verb = WEIR_RENAME; x->stat->names.new_item = "b.%r.%n")
CHANGE(change_shift, x->stat->shift.kind = WEIR_SHIFT_NODES_OR_RANKS)
CHANGE(change_shift_nodes, x->stat->shift.kind = WEIR_SHIFT_NODES)
CHANGE(change_shift_distance, change_shift(x); x->stat->shift.distance = 1)
CHANGE(change_tree_shift, x->stat->names.tree_shift.kind = WEIR_SHIFT_NODES_OR_RANKS)
CHANGE(change_tree_shift_distance, change_tree_shift(x); x->stat->names.tree_shift.distance = 1)
CHANGE(change_order, x->stat->names.order = WEIR_ORDER_SHUFFLED)
CHANGE(change_order_seed, change_order(x); x->stat->names.seed_is_given = true)
CHANGE(change_order_seed_more, change_order_seed(x); x->stat->names.seed = 1)
CHANGE(change_bytes, x->create->names.bytes = 6)
CHANGE(change_bytes_of_read, x->read->names.bytes = 6)
CHANGE(change_payload, with_data(x); x->create->names.payload.mode = WEIR_PAYLOAD_FULL)
CHANGE(change_payload_ior, with_data(x); x->create->names.payload.mode = WEIR_PAYLOAD_IOR)
CHANGE(change_payload_seed, with_data(x); x->create->names.payload.seed_is_given = true)
CHANGE(change_verify, x->read->names.must_verify = true)
CHANGE(change_verify_made, x->create->names.must_verify_made = true)
CHANGE(change_sync, x->create->names.must_sync = true)
CHANGE(change_sync_all, x->create->names.must_sync_all = true)
CHANGE(change_exclusive, x->create->names.is_exclusive = true)
CHANGE(change_before, x->stat->names.command_before = "a")
CHANGE(change_before_more, x->stat->names.command_before = "b")
CHANGE(change_after, x->stat->names.command_after = "a")
CHANGE(change_second_count, x->stat->stop.status_path = "s"; x->stat->stop.is_second_count = true)
CHANGE(change_after_ranks, x->stat->names.command_after = "a";
       x->stat->names.command_ranks = WEIR_COMMAND_FIRST_RANK)
CHANGE(change_cycle_order, cycle(x); x->stat->names.cycle[0] = WEIR_READ_FILE;
       x->stat->names.cycle[1] = WEIR_STAT)
CHANGE(change_cycle_count, cycle(x); x->stat->names.cycle_count = 3)
CHANGE(change_rotation, x->stat->names.rotation.count = 1)
CHANGE(change_rotation_first, change_rotation(x); x->stat->names.rotation.first = 1)
CHANGE(change_working_set, change_rotation(x); x->stat->names.rotation.working_set = 1)
CHANGE(change_rotation_ranks, change_rotation(x); x->stat->names.rotation.stride = 1)
CHANGE(change_log_name, x->stat->names.log_name = "a")
CHANGE(change_depth, x->stat->depth = 2)
CHANGE(change_rate, x->stat->rate = (struct weir_rate){WEIR_ARRIVALS_CONSTANT, 5, false, false})
CHANGE(change_rate_more, x->stat->rate = (struct weir_rate){WEIR_ARRIVALS_POISSON, 5, false, false})
CHANGE(change_rate_rank, x->stat->rate = (struct weir_rate){WEIR_ARRIVALS_POISSON, 5, false, true})
CHANGE(change_think, x->stat->think_ns = 1)
CHANGE(change_think_share, x->stat->think_ppm = 1)
CHANGE(change_deadline, x->create->stop.deadline_ns = S)
CHANGE(change_wear_out, change_deadline(x); x->create->stop.has_wear_out = true)
CHANGE(change_limit, x->create->stop.op_limit = 1)
CHANGE(change_minimum, x->stat->stop.minimum_ns = S)
CHANGE(change_status, x->create->stop.status_path = "s")
CHANGE(change_status_of_stat, x->stat->stop.status_path = "s")

static void (*const changes_that_matter[])(struct subject *) = {
    nothing,
    with_data,
    change_root,
    change_roots,
    change_top,
    change_no_top,
    change_node,
    change_no_node,
    change_sets,
    change_tree_depth,
    change_branching,
    change_items,
    change_crowd,
    change_leaves,
    change_own,
    change_one_tree,
    change_verb,
    change_tree_verb,
    change_item,
    change_kind,
    change_shared,
    change_first_rank,
    change_rename,
    change_new_item,
    change_new_item_more,
    change_shift,
    change_shift_nodes,
    change_shift_distance,
    change_tree_shift,
    change_tree_shift_distance,
    change_order,
    change_order_seed,
    change_order_seed_more,
    change_bytes,
    change_bytes_of_read,
    change_payload,
    change_payload_ior,
    change_payload_seed,
    change_verify,
    change_verify_made,
    change_sync,
    change_sync_all,
    change_exclusive,
    change_before,
    change_before_more,
    change_after,
    change_after_ranks,
    change_second_count,
    cycle,
    change_cycle_order,
    change_cycle_count,
    change_rotation,
    change_rotation_first,
    change_working_set,
    change_rotation_ranks,
    change_log_name,
    change_depth,
    change_rate,
    change_rate_more,
    change_rate_rank,
    change_think,
    change_think_share,
    change_deadline,
    change_wear_out,
    change_limit,
    change_minimum,
    change_status,
    change_status_of_stat,
};

#define CHANGE_COUNT (sizeof changes_that_matter / sizeof *changes_that_matter)

static void explanation_differs_when_any_member_differs(void **state)
{
    static struct weir_text texts[CHANGE_COUNT];

    (void)state;
    for (size_t i = 0; i < CHANGE_COUNT; i++) {
        add_explanation(&texts[i], changes_that_matter[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(texts[i].data, texts[k].data) == 0)
                fail_msg("changes %zu and %zu have the same text:\n%s", i, k, texts[i].data);
    }
    for (size_t i = 0; i < CHANGE_COUNT; i++)
        weir_text_close(&texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_needs_what_there_is_of_it_at_one_time),
        cmocka_unit_test(senseless_plans_are_refused_with_a_way_out),
        cmocka_unit_test(sensible_plans_are_accepted),
        cmocka_unit_test(explanation_of_a_typical_plan_reads_well),
        cmocka_unit_test(explanation_of_an_elaborate_plan_says_it_all),
        cmocka_unit_test(explanation_differs_when_any_member_differs),
    };

    return cmocka_run_group_tests_name("names_plan", tests, NULL, NULL);
}
