/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of include/weir/io/backend.h as one suite over every backend and every wrapper, at
 * several depths. */
#include "bench.h"
#include "queue_cases.h"
#include "special_cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNITS = 40 };

static void require(const struct subject *subject, unsigned abilities, const char *reason)
{
    if ((abilities_of(subject) & abilities) != abilities)
        skip_because(reason);
}

static void require_names(const struct subject *subject)
{
    require(subject, WEIR_CAN_NAME, "the backend has no names");
}

static void require_data(const struct subject *subject)
{
    require(subject, WEIR_CAN_KEEP, "the backend keeps no data");
}

/* ---- sessions ---- */

static void a_session_is_as_deep_as_asked_or_less(void **state)
{
    const struct subject *subject = *state;
    struct bench bench;

    open_bench(&bench, subject, NULL);
    assert_ptr_equal(bench.session->backend, subject->backend);
    assert_in_range(bench.session->depth, 1, subject->depth);
    close_bench(&bench);
}

static void two_sessions_live_side_by_side(void **state)
{
    const struct subject *subject = *state;
    struct bench one;
    struct bench other;

    open_bench(&one, subject, NULL);
    open_bench(&other, subject, NULL);
    assert_ptr_not_equal(one.session, other.session);
    close_bench(&one);
    close_bench(&other);
}

/* ---- files ---- */

static void open_fails_cleanly_and_leaves_nothing(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *const untouched = (struct weir_file *)&subject;
    struct weir_file *file = untouched;
    struct weir_name_facts facts;
    struct bench bench;

    require_names(subject);
    open_bench(&bench, subject, NULL);
    assert_int_equal(open_file(&bench, path_of(&bench, "none"), false, &file), -ENOENT);
    assert_int_equal(open_file(&bench, path_of(&bench, "none"), true, &file), -ENOENT);
    assert_int_equal(open_file(&bench, path_of(&bench, "none/none"), true, &file), -ENOENT);
    assert_ptr_equal(file, untouched);
    assert_int_equal(stat_name(&bench, path_of(&bench, "none"), &facts), -ENOENT);
    close_bench(&bench);
}

static void a_directory_is_no_file(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct bench bench;

    require_names(subject);
    open_bench(&bench, subject, NULL);
    assert_int_equal(open_file(&bench, subject->directory, false, &file), -EISDIR);
    assert_int_equal(open_file(&bench, subject->directory, true, &file), -EISDIR);
    close_bench(&bench);
}

static void a_file_that_may_not_be_read_is_not_opened(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    require_names(subject);
    require_names_of_kernel(subject);
    if (geteuid() == 0)
        skip_because("root may read everything");
    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "secret");
    close_file(&bench, make_file(&bench, path));
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(open_file(&bench, path, false, &file), -EACCES);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void a_new_file_is_empty(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "new");
    file = make_file(&bench, path);
    assert_int_equal(bench.backend->file->size(bench.session, file), 0);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void alignments_are_powers_of_two(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "aligned");
    file = make_file(&bench, path);
    assert_int_equal(__builtin_popcount(file->alignment.memory), 1);
    assert_int_equal(__builtin_popcount(file->alignment.offset), 1);
    assert_int_equal(UNIT_BYTES % file->alignment.offset, 0);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void the_alignment_of_a_path_is_that_of_its_file(void **state)
{
    const struct subject *subject = *state;
    struct weir_alignment before;
    struct weir_alignment after;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    open_bench(&bench, subject, NULL);
    if (!bench.backend->names || !bench.backend->names->alignment) {
        close_bench(&bench);
        skip_because("the backend asks for no alignment");
    }
    path = path_of(&bench, "here");
    assert_int_equal(bench.backend->names->alignment(bench.session,
                                                     path_of(&bench, "no/such/directory"), &before),
                     0);
    file = make_file(&bench, path);
    assert_int_equal(bench.backend->names->alignment(bench.session, path, &after), 0);
    assert_memory_equal(&before, &file->alignment, sizeof before);
    assert_memory_equal(&after, &file->alignment, sizeof after);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void opening_an_existing_file_keeps_its_data(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    unsigned char *back;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    require_data(subject);
    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 1, 3);
    back = make_data(&bench, 1, 0);
    path = path_of(&bench, "kept");
    file = make_file(&bench, path);
    move_units(&bench, WEIR_OP_WRITE, file, data, 1, false);
    close_file(&bench, file);
    file = make_file(&bench, path);
    assert_int_equal(bench.backend->file->size(bench.session, file), UNIT_BYTES);
    move_units(&bench, WEIR_OP_READ, file, back, 1, false);
    assert_memory_equal(back, data, UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void sync_succeeds_and_size_is_the_end_of_the_last_write(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    struct weir_file *file;
    struct bench bench;
    const char *path;
    int64_t bytes;

    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 1, 0);
    path = path_of(&bench, "sized");
    file = make_file(&bench, path);
    assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data, 3 * UNIT_BYTES, UNIT_BYTES),
                     UNIT_BYTES);
    assert_int_equal(bench.backend->file->sync(bench.session, file), 0);
    bytes = bench.backend->file->size(bench.session, file);
    /* What keeps no data may have no size to tell. */
    if (bytes != 0 || abilities_of(subject) & WEIR_CAN_KEEP)
        assert_int_equal(bytes, 4 * UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

/* ---- transfers ---- */

static void what_is_written_is_read_back(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    unsigned char *back;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    require_data(subject);
    open_bench(&bench, subject, NULL);
    data = make_data(&bench, UNITS, 1);
    back = make_data(&bench, UNITS, 0);
    path = path_of(&bench, "data");
    file = make_file(&bench, path);
    move_units(&bench, WEIR_OP_WRITE, file, data, UNITS, false);
    close_file(&bench, file);
    assert_int_equal(open_file(&bench, path, false, &file), 0);
    move_units(&bench, WEIR_OP_READ, file, back, UNITS, false);
    assert_memory_equal(back, data, UNITS * UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void two_files_keep_their_data_apart(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data[2];
    unsigned char *back;
    struct weir_file *files[2];
    struct bench bench;

    require_data(subject);
    open_bench(&bench, subject, NULL);
    data[0] = make_data(&bench, UNITS, 1);
    data[1] = make_data(&bench, UNITS, 2);
    back = make_data(&bench, UNITS, 0);
    for (int i = 0; i < 2; i++)
        files[i] = make_file(&bench, path_of(&bench, i == 0 ? "left" : "right"));
    for (int i = 0; i < 2; i++)
        move_units(&bench, WEIR_OP_WRITE, files[i], data[i], UNITS, false);
    for (int i = 0; i < 2; i++) {
        move_units(&bench, WEIR_OP_READ, files[i], back, UNITS, false);
        assert_memory_equal(back, data[i], UNITS * UNIT_BYTES);
        close_file(&bench, files[i]);
        remove_name(&bench, path_of(&bench, i == 0 ? "left" : "right"));
    }
    close_bench(&bench);
}

static void reading_past_the_end_returns_short(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    require_data(subject);
    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 2, 1);
    path = path_of(&bench, "short");
    file = make_file(&bench, path);
    move_units(&bench, WEIR_OP_WRITE, file, data, 1, false);
    assert_int_equal(move(&bench, WEIR_OP_READ, file, data, 0, 2 * UNIT_BYTES), UNIT_BYTES);
    assert_int_equal(move(&bench, WEIR_OP_READ, file, data, UNIT_BYTES, UNIT_BYTES), 0);
    assert_int_equal(move(&bench, WEIR_OP_READ, file, data, 9 * UNIT_BYTES, UNIT_BYTES), 0);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void a_transfer_that_fails_is_a_result_and_the_next_one_works(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    require_data(subject);
    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 1, 1);
    path = path_of(&bench, "readonly");
    file = make_file(&bench, path);
    move_units(&bench, WEIR_OP_WRITE, file, data, 1, false);
    close_file(&bench, file);
    assert_int_equal(open_file(&bench, path, false, &file), 0);
    assert_true(move(&bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES) < 0);
    assert_int_equal(move(&bench, WEIR_OP_READ, file, data, 0, UNIT_BYTES), UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void an_unaligned_transfer_is_a_result(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    struct weir_file *file;
    struct bench bench;
    const char *path;
    int64_t result;

    require_data(subject);
    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 2, 1);
    path = path_of(&bench, "unaligned");
    file = make_file(&bench, path);
    result = move(&bench, WEIR_OP_WRITE, file, data, 1, UNIT_BYTES);
    /* Some file systems take the detour through the page cache. */
    assert_true(result == UNIT_BYTES || (file->alignment.offset > 1 && result == -EINVAL));
    assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES), UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

static void a_full_device_is_a_result(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    struct weir_file *file;
    struct bench bench;
    int64_t result;

    require_data(subject);
    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 1, 1);
    if (open_file(&bench, "/dev/full", true, &file) < 0) {
        close_bench(&bench);
        skip_because("the backend does not open /dev/full");
    }
    result = move(&bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES);
    close_file(&bench, file);
    close_bench(&bench);
    /* The device takes nothing asynchronously. */
    if (result == -EINVAL)
        skip_because("the backend does not write to /dev/full");
    assert_int_equal(result, -ENOSPC);
}

/* ---- names ---- */

static void a_file_has_a_name_until_it_is_unlinked(void **state)
{
    const struct subject *subject = *state;
    unsigned char *data;
    struct weir_name_facts facts;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    require_names(subject);
    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 2, 1);
    path = path_of(&bench, "named");
    file = make_file(&bench, path);
    move_units(&bench, WEIR_OP_WRITE, file, data, 2, false);
    close_file(&bench, file);
    assert_int_equal(stat_name(&bench, path, &facts), 0);
    assert_int_equal(facts.kind, WEIR_NAME_FILE);
    assert_int_equal(facts.bytes, 2 * UNIT_BYTES);
    assert_int_equal(bench.backend->names->unlink(bench.session, path), 0);
    assert_int_equal(bench.backend->names->unlink(bench.session, path), -ENOENT);
    assert_int_equal(stat_name(&bench, path, &facts), -ENOENT);
    close_bench(&bench);
}

static int claim(struct bench *bench, const char *path, enum weir_claim claim,
                 const struct weir_file_id *id)
{
    const struct weir_file_params params = {
        .path = path,
        .can_write = true,
        .must_create = claim == WEIR_CLAIM_NEW,
        .claim = claim,
        .id = id ? *id : (struct weir_file_id){0},
        .group = bench->subject->group,
        .expected_bytes = 4 * UNIT_BYTES,
    };
    struct weir_file *file;
    int rc = bench->backend->file->open(bench->session, &params, &file);

    if (rc == 0)
        close_file(bench, file);
    return rc;
}

/* A file of somebody else, and a symbolic and a second hard link to it, under the name. */
static void only_what_is_claimed_is_opened(void **state)
{
    const struct subject *subject = *state;
    struct weir_name_facts own, foreign;
    struct bench bench;
    const char *path, *other;

    require_names(subject);
    require_names_of_kernel(subject);
    if (subject->inner)
        require_names_of_kernel(&(struct subject){.backend = subject->inner});
    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "claimed");
    other = path_of(&bench, "others");
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_NEW, NULL), 0);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_NEW, NULL), -EEXIST);
    assert_int_equal(stat_name(&bench, path, &own), 0);
    assert_int_equal(own.link_count, 1);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_OWN, &own.id), 0);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_OWN, NULL), 0);

    close_file(&bench, make_file(&bench, other));
    assert_int_equal(stat_name(&bench, other, &foreign), 0);
    assert_int_equal(claim(&bench, other, WEIR_CLAIM_OWN, &own.id), -ESTALE);
    remove_name(&bench, path);
    assert_int_equal(link(other, path), 0);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_OWN, NULL), -ESTALE);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_OWN, &own.id), -ESTALE);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_NEW, NULL), -EEXIST);
    remove_name(&bench, path);
    assert_int_equal(symlink(strrchr(other, '/') + 1, path), 0);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_OWN, &foreign.id), -ELOOP);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_NEW, NULL), -EEXIST);
    assert_int_equal(claim(&bench, path, WEIR_CLAIM_ANY, NULL), 0);
    remove_name(&bench, path);
    remove_name(&bench, other);
    close_bench(&bench);
}

static void a_directory_is_made_once_and_removed_when_empty(void **state)
{
    const struct subject *subject = *state;
    struct weir_name_facts facts;
    struct bench bench;
    const char *path;
    const char *below;

    require_names(subject);
    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "directory");
    below = path_of(&bench, "directory/file");
    assert_int_equal(bench.backend->names->mkdir(bench.session, path), 0);
    assert_int_equal(bench.backend->names->mkdir(bench.session, path), -EEXIST);
    assert_int_equal(stat_name(&bench, path, &facts), 0);
    assert_int_equal(facts.kind, WEIR_NAME_DIRECTORY);
    close_file(&bench, make_file(&bench, below));
    assert_int_equal(bench.backend->names->rmdir(bench.session, path), -ENOTEMPTY);
    remove_name(&bench, below);
    assert_int_equal(bench.backend->names->rmdir(bench.session, path), 0);
    assert_int_equal(bench.backend->names->rmdir(bench.session, path), -ENOENT);
    close_bench(&bench);
}

static void devices_and_others_are_told_from_files(void **state)
{
    const struct subject *subject = *state;
    struct weir_name_facts facts;
    struct bench bench;
    const char *path;

    require_names(subject);
    require_names_of_kernel(subject);
    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "pipe");
    assert_int_equal(stat_name(&bench, "/dev/null", &facts), 0);
    assert_int_equal(facts.kind, WEIR_NAME_DEVICE);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(stat_name(&bench, path, &facts), 0);
    assert_int_equal(facts.kind, WEIR_NAME_OTHER);
    remove_name(&bench, path);
    close_bench(&bench);
}

/* ---- every case with every subject ---- */

struct contract_case {
    const char *only; /* for backends whose name begins so; NULL: for all */
    const char *sentence;
    CMUnitTestFunction check;
};

#define FOR_ALL(function)                                                                          \
    {                                                                                              \
        NULL, #function, function                                                                  \
    }
#define FOR_ONLY(name, function)                                                                   \
    {                                                                                              \
        name, #function, function                                                                  \
    }

static const struct contract_case cases[] = {
    FOR_ALL(a_session_is_as_deep_as_asked_or_less),
    FOR_ALL(two_sessions_live_side_by_side),
    FOR_ALL(open_fails_cleanly_and_leaves_nothing),
    FOR_ALL(a_directory_is_no_file),
    FOR_ALL(a_file_that_may_not_be_read_is_not_opened),
    FOR_ALL(a_new_file_is_empty),
    FOR_ALL(alignments_are_powers_of_two),
    FOR_ALL(the_alignment_of_a_path_is_that_of_its_file),
    FOR_ALL(opening_an_existing_file_keeps_its_data),
    FOR_ALL(sync_succeeds_and_size_is_the_end_of_the_last_write),
    FOR_ALL(what_is_written_is_read_back),
    FOR_ALL(two_files_keep_their_data_apart),
    FOR_ALL(reading_past_the_end_returns_short),
    FOR_ALL(a_transfer_that_fails_is_a_result_and_the_next_one_works),
    FOR_ALL(an_unaligned_transfer_is_a_result),
    FOR_ALL(a_full_device_is_a_result),
    FOR_ALL(a_file_has_a_name_until_it_is_unlinked),
    FOR_ALL(only_what_is_claimed_is_opened),
    FOR_ALL(a_directory_is_made_once_and_removed_when_empty),
    FOR_ALL(devices_and_others_are_told_from_files),
    FOR_ALL(a_backend_that_queues_says_so),
    FOR_ALL(scattered_transfers_keep_their_data_at_full_depth),
    FOR_ALL(signals_cost_no_data),
    FOR_ALL(a_sync_goes_behind_its_write),
    FOR_ALL(a_reap_that_asks_for_nothing_never_waits),
    FOR_ALL(a_wait_without_timeout_ends),
    FOR_ALL(what_is_submitted_comes_back_once_whatever_the_batch),
    FOR_ALL(a_full_queue_takes_from_the_front),
    FOR_ALL(reads_around_the_end_are_short_or_empty),
    FOR_ALL(errors_are_results_of_their_own_transfers),
    FOR_ALL(memory_may_be_lent_and_need_not_be),
    FOR_ALL(a_session_tells_the_same_at_each_asking),
    FOR_ALL(a_session_closed_in_flight_leaves_the_buffers_alone),
    FOR_ALL(names_go_through_the_queue_at_full_depth),
    FOR_ALL(errors_of_names_are_results),
    FOR_ALL(a_name_is_told_alike_with_and_without_the_queue),
    FOR_ALL(names_are_made_looked_at_and_removed),
    FOR_ALL(a_rename_takes_the_place_of_what_is_there),
    FOR_ALL(a_node_is_an_empty_file),
    FOR_ALL(a_link_is_a_second_name),
    FOR_ALL(a_symbolic_link_leads_where_it_was_told_to),
    FOR_ALL(a_mode_is_changed),
    FOR_ALL(attributes_are_set_and_got),
    FOR_ALL(a_list_has_each_name_once),
    FOR_ALL(only_directories_are_listed),
    FOR_ALL(a_file_system_is_synced_as_a_whole),
    FOR_ALL(an_item_is_a_file_like_others),
    FOR_ALL(an_open_truncates_if_asked),
    FOR_ALL(an_open_appends_if_asked),
    FOR_ALL(an_exclusive_open_makes_the_file),
    FOR_ALL(an_exact_open_is_for_what_it_says),
    FOR_ALL(an_exact_open_follows_links_unless_told),
    FOR_ALL(an_item_is_opened_in_a_place_of_its_own),
    FOR_ALL(files_and_directories_have_the_modes_asked_for),
    FOR_ONLY("null", delays_of_transfers_in_flight_run_side_by_side),
    FOR_ONLY("null", a_signal_ends_a_wait_for_a_delay),
    FOR_ONLY("null", void_names_do_everything_and_nothing),
    FOR_ONLY("null", files_of_a_void_queue_come_from_a_store),
    FOR_ONLY("null", delays_are_those_of_their_verb),
    FOR_ONLY("libaio", the_kernel_has_no_more_contexts),
    FOR_ONLY("libaio", a_file_system_without_direct_transfers_is_told),
    FOR_ONLY("uring", little_memory_may_be_locked),
    FOR_ONLY("uring", io_uring_is_forbidden),
    FOR_ONLY("uring", the_kernel_has_no_io_uring),
    FOR_ONLY("uring", a_file_system_without_direct_transfers_is_told),
    FOR_ONLY("uring", a_read_from_an_empty_pipe_waits_as_long_as_asked),
    FOR_ONLY("uring", a_read_that_never_ends_does_not_keep_a_session_open),
    FOR_ONLY("posix", a_file_system_without_direct_transfers_is_told),
    FOR_ONLY("mpiio", a_prefix_is_what_the_library_makes_of_it),
    FOR_ONLY("mpiio", a_name_may_be_one_letter),
    FOR_ONLY("mpiio", hints_come_from_environment_and_file),
    FOR_ONLY("mpiio", preallocated_files_have_their_size_from_the_start),
    FOR_ONLY("mpiio", a_view_shows_only_its_part),
    FOR_ONLY("mpiio", a_transfer_of_a_strided_view_spans_blocks),
    FOR_ONLY("mpiio", an_open_file_is_seen_through_a_view),
    FOR_ONLY("mpiio", an_open_is_refused_before_for_want_of_descriptors),
    FOR_ONLY("mpiio", a_view_of_long_blocks_finds_its_places),
    FOR_ONLY("mpiio", random_transfers_without_a_part_have_no_view),
    FOR_ONLY("mmap", a_mapped_file_is_grown_at_once_and_never_cut),
    FOR_ONLY("mmap", a_mapped_file_that_another_one_grows_is_read_to_its_end),
    FOR_ONLY("mmap", a_mapped_file_without_room_is_refused_at_open),
    FOR_ONLY("mmap", a_mapped_file_that_is_cut_is_a_result),
    FOR_ONLY("mmap", a_bus_error_of_somebody_else_goes_where_it_went_before),
    FOR_ONLY("mmap", pages_are_dropped_if_asked),
    FOR_ONLY("mmap", advice_is_of_the_whole_mapping),
    FOR_ONLY("stdio", a_stream_tells_once_what_it_could_not_write),
    FOR_ONLY("stdio", a_stream_has_its_memory_when_it_is_open),
    FOR_ONLY("posix", a_transfer_waits_for_the_lock_on_its_range),
    FOR_ONLY("posix", a_file_is_locked_whole_while_it_is_open),
    FOR_ONLY("posix", a_shared_file_that_is_written_is_not_locked_whole),
    FOR_ONLY("fault", transfers_fail_where_they_are_told_to),
    FOR_ONLY("fault", a_flip_is_one_bit_of_each_read_that_is_hit),
    FOR_ONLY("fault", open_sync_and_close_fail_where_they_are_told_to),
    FOR_ONLY("fault", a_fault_nobody_knows_is_refused),
    FOR_ONLY("fault", faults_at_full_depth_cost_no_data),
    FOR_ONLY("fault", a_late_one_comes_after_others),
    FOR_ONLY("fault", syncs_are_counted_and_hit),
    FOR_ONLY("fault", what_is_granted_is_what_the_inner_backend_got),
    FOR_ONLY("fault", faults_of_names_are_staged_in_the_queue),
    FOR_ONLY("fault", faults_hit_one_verb_of_names),
};

#define CASE_COUNT (sizeof cases / sizeof *cases)

static const unsigned depths[] = {1, 8, 32, 128};

#define DEPTH_COUNT (sizeof depths / sizeof *depths)

/* Options with which the whole suite runs again, at the least and the greatest depth. */
static const struct {
    const char *backend;
    const char *options;
} variants[] = {
    {"libaio", "libaio.entries=8"},
    {"libaio", "libaio.user-reap=0"},
    {"libaio", "posix.odirect=1"},
    {"uring", "uring.entries=8"},
    {"uring", "posix.odirect=1"},
    {"uring", "uring.fixed-buffers=0,uring.fixed-files=0"},
    {"rdma", "rdma.mode=pull"},
    {"rdma", "rdma.mode=send"},
    {"rdma", "rdma.provider=shm"},
    {"rdma", "rdma.provider=shm,rdma.mode=pull"},
    {"uring", "uring.sqpoll=1"},
    {"rdma", "rdma.stripe-unit=1k,rdma.sizes=strict"},
    {"null", "dummy.delay-xfer=20,dummy.delay-sync=50"},
};

#define VARIANT_COUNT (sizeof variants / sizeof *variants)

struct suite {
    struct weir_arena arena;
    struct weir_group *group;
    const char *directory;
    struct served served;
    struct CMUnitTest *tests;
    size_t test_count;
    size_t test_limit;
};

static void add_test(struct suite *suite, const struct contract_case *one, const char *name,
                     struct subject *subject)
{
    const char *options = subject->options ? subject->options : "";

    if (suite->test_count == suite->test_limit) {
        struct CMUnitTest *tests;

        suite->test_limit = 2 * suite->test_limit + 256;
        tests = weir_arena_take(&suite->arena, suite->test_limit * sizeof *tests);
        if (suite->test_count > 0)
            memcpy(tests, suite->tests, suite->test_count * sizeof *tests);
        suite->tests = tests;
    }
    suite->tests[suite->test_count++] = (struct CMUnitTest){
        .name =
            weir_arena_printf(&suite->arena, "%s%s%s%s%s.%u.%s", name, subject->inner ? ":" : "",
                              subject->inner ? subject->inner->descriptor.name : "",
                              subject->options ? "," : "", options, subject->depth, one->sentence),
        .test_func = one->check,
        .initial_state = subject,
    };
}

static void add_subject(struct suite *suite, const struct subject *like)
{
    struct subject *subject = weir_arena_take(&suite->arena, sizeof *subject);
    const char *name = like->backend->descriptor.name;

    *subject = *like;
    subject->group = suite->group;
    subject->directory = suite->directory;
    subject->served = &suite->served;
    for (size_t i = 0; i < CASE_COUNT; i++)
        if (!cases[i].only || strcmp(cases[i].only, name) == 0)
            add_test(suite, &cases[i], name, subject);
}

/* A backend that only blocks is as deep as one, whatever is asked. */
static void add_backend(struct suite *suite, const struct weir_backend *backend,
                        const struct weir_backend *inner)
{
    const struct weir_backend *innermost = inner ? inner : backend;
    bool is_deep = innermost->transfer->submit != NULL;

    for (size_t i = 0; i < DEPTH_COUNT; i++)
        if (depths[i] == 1 || is_deep)
            add_subject(suite,
                        &(struct subject){.backend = backend, .inner = inner, .depth = depths[i]});
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        for (size_t n = 0; n < DEPTH_COUNT; n += DEPTH_COUNT - 1)
            if (strcmp(variants[i].backend, innermost->descriptor.name) == 0)
                add_subject(suite, &(struct subject){.backend = backend,
                                                     .inner = inner,
                                                     .depth = depths[n],
                                                     .options = variants[i].options});
}

/* WEIR_TEST_RDMA="rdma.provider=verbs": where there is a device for it, which only the user knows.
 */
static void add_asked(struct suite *suite)
{
    const struct weir_backend *backend = weir_backend_find(&weir_registry, "rdma");
    const char *options = getenv("WEIR_TEST_RDMA");

    for (size_t i = 0; backend && options && i < DEPTH_COUNT; i++)
        add_subject(suite,
                    &(struct subject){.backend = backend, .depth = depths[i], .options = options});
}

static void add_all(struct suite *suite)
{
    const struct weir_backend *inner[] = {
        weir_backend_find(&weir_registry, "posix"), weir_backend_find(&weir_registry, "libaio"),
        weir_backend_find(&weir_registry, "uring"), &later_backend};

    for (size_t i = 0; i < weir_registry.count; i++) {
        const struct weir_backend *backend = weir_registry.backends[i];

        if (!(backend->descriptor.abilities & WEIR_WRAPS)) {
            add_backend(suite, backend, NULL);
            continue;
        }
        for (size_t n = 0; n < sizeof inner / sizeof *inner; n++)
            if (inner[n])
                add_backend(suite, backend, inner[n]);
    }
    add_backend(suite, &later_backend, NULL);
    add_asked(suite);
}

int main(int argc, char **argv)
{
    char directory[] = "contract-XXXXXX";
    struct weir_error error = {0};
    struct suite suite = {.directory = directory};
    int failures;

    if (weir_group_mpi_open(&argc, &argv, &suite.group, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 77;
    }
    if (!mkdtemp(directory)) {
        perror(directory);
        return 77;
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    add_all(&suite);
    failures = _cmocka_run_group_tests("backends", suite.tests, suite.test_count, NULL, NULL);
    close_served(&suite.served);
    rmdir(directory);
    weir_arena_close(&suite.arena);
    weir_group_close(suite.group);
    return failures;
}
