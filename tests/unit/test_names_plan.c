/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of phases on trees: what is refused, and that their text says everything that matters. */
#include "weir/plan/plan.h"

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
CHANGE(cycle_of_unknown_links, cycle(x); x->test->backend = &plain;
       x->stat->names.cycle[1] = WEIR_CHMOD)
CHANGE(no_depth, x->stat->depth = 0)
CHANGE(deep_blocking, x->test->backend = &plain; x->stat->depth = 2)
CHANGE(search, x->stat->depth = 8; x->stat->must_find_depth = true)
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
    {cycle_of_unknown_links, "backend plain has no chmod", "posix"},
    {no_depth, "queue depth 0", "1 to 4096"},
    {deep_blocking, "queue depth 2: backend plain", "depth 1"},
    {search, "the best depth is searched for transfers", "give stat a depth"},
    {rate_in_bytes, "stat has no rate in bytes", "operations per second"},
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
        nothing,    no_items,    list_of_own_trees,
        flat_sets,  bare_items,  chain_of_nodes,
        slashed,    directories, result_of_absolute,
        ior_data,   shifted,     result_beside,
        stonewall,  links,       data_of_files,
        full_cycle, lists,       single_items,
        deep,       loads,       commands,
        first_rank, of_void,     of_wrapped,
        share,      own,         cycle,
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senseless_plans_are_refused_with_a_way_out),
        cmocka_unit_test(sensible_plans_are_accepted),
    };

    return cmocka_run_group_tests_name("names_plan", tests, NULL, NULL);
}
