/* SPDX-License-Identifier: Apache-2.0 */
/* Cases for single backends; `*state` is a struct subject, as for all cases. */
#ifndef WEIR_TESTS_CONTRACT_SPECIAL_CASES_H
#define WEIR_TESTS_CONTRACT_SPECIAL_CASES_H

void a_prefix_is_what_the_library_makes_of_it(void **state);
void a_name_may_be_one_letter(void **state);
void hints_come_from_environment_and_file(void **state);
void preallocated_files_have_their_size_from_the_start(void **state);
void a_view_shows_only_its_part(void **state);
void a_transfer_of_a_strided_view_spans_blocks(void **state);
void an_open_file_is_seen_through_a_view(void **state);
void an_open_is_refused_before_for_want_of_descriptors(void **state);
void a_view_of_long_blocks_finds_its_places(void **state);
void random_transfers_without_a_part_have_no_view(void **state);

void a_mapped_file_is_grown_at_once_and_never_cut(void **state);
void a_mapped_file_that_another_one_grows_is_read_to_its_end(void **state);
void a_mapped_file_without_room_is_refused_at_open(void **state);
void a_mapped_file_that_is_cut_is_a_result(void **state);
void a_bus_error_of_somebody_else_goes_where_it_went_before(void **state);
void pages_are_dropped_if_asked(void **state);
void advice_is_of_the_whole_mapping(void **state);
void a_stream_tells_once_what_it_could_not_write(void **state);
void a_stream_has_its_memory_when_it_is_open(void **state);
void a_transfer_waits_for_the_lock_on_its_range(void **state);
void a_file_is_locked_whole_while_it_is_open(void **state);
void a_shared_file_that_is_written_is_not_locked_whole(void **state);

void transfers_fail_where_they_are_told_to(void **state);
void a_flip_is_one_bit_of_each_read_that_is_hit(void **state);
void open_sync_and_close_fail_where_they_are_told_to(void **state);
void a_fault_nobody_knows_is_refused(void **state);

#endif
