/* SPDX-License-Identifier: Apache-2.0 */
/* What holds with many operations in flight; `*state` is a struct subject, as for all cases. */
#ifndef WEIR_TESTS_CONTRACT_QUEUE_CASES_H
#define WEIR_TESTS_CONTRACT_QUEUE_CASES_H

/* For every backend; those that block skip them. */
void a_backend_that_queues_says_so(void **state);
void scattered_transfers_keep_their_data_at_full_depth(void **state);
void signals_cost_no_data(void **state);
void a_sync_goes_behind_its_write(void **state);
void a_reap_that_asks_for_nothing_never_waits(void **state);
void a_wait_without_timeout_ends(void **state);
void what_is_submitted_comes_back_once_whatever_the_batch(void **state);
void a_full_queue_takes_from_the_front(void **state);
void reads_around_the_end_are_short_or_empty(void **state);
void errors_are_results_of_their_own_transfers(void **state);
void memory_may_be_lent_and_need_not_be(void **state);
void a_session_tells_the_same_at_each_asking(void **state);
void a_session_closed_in_flight_leaves_the_buffers_alone(void **state);

/* For single backends. */
void delays_of_transfers_in_flight_run_side_by_side(void **state);
void a_signal_ends_a_wait_for_a_delay(void **state);
void a_read_from_an_empty_pipe_waits_as_long_as_asked(void **state);
void a_read_that_never_ends_does_not_keep_a_session_open(void **state);
void faults_at_full_depth_cost_no_data(void **state);
void a_late_one_comes_after_others(void **state);
void syncs_are_counted_and_hit(void **state);
void what_is_granted_is_what_the_inner_backend_got(void **state);

/* Names through the queue; in name_cases.c. */
void names_go_through_the_queue_at_full_depth(void **state);
void errors_of_names_are_results(void **state);
void a_name_is_told_alike_with_and_without_the_queue(void **state);
void faults_of_names_are_staged_in_the_queue(void **state);

/* Each verb of names, blocking and queued; in verb_cases.c. */
void names_are_made_looked_at_and_removed(void **state);
void a_rename_takes_the_place_of_what_is_there(void **state);
void a_node_is_an_empty_file(void **state);
void a_link_is_a_second_name(void **state);
void a_symbolic_link_leads_where_it_was_told_to(void **state);
void a_mode_is_changed(void **state);
void attributes_are_set_and_got(void **state);
void a_list_has_each_name_once(void **state);
void only_directories_are_listed(void **state);
void a_file_system_is_synced_as_a_whole(void **state);
void an_item_is_a_file_like_others(void **state);

/* For single backends. */
void faults_hit_one_verb_of_names(void **state);
void void_names_do_everything_and_nothing(void **state);
void files_of_a_void_queue_come_from_a_store(void **state);
void delays_are_those_of_their_verb(void **state);

/* Where the system gives less than was asked for; in limit_cases.c. */
void little_memory_may_be_locked(void **state);
void io_uring_is_forbidden(void **state);
void the_kernel_has_no_io_uring(void **state);
void the_kernel_has_no_more_contexts(void **state);
void a_file_system_without_direct_transfers_is_told(void **state);

/* How files are opened; in open_cases.c. */
void an_open_truncates_if_asked(void **state);
void an_open_appends_if_asked(void **state);
void an_exclusive_open_makes_the_file(void **state);
void an_exact_open_is_for_what_it_says(void **state);
void an_exact_open_follows_links_unless_told(void **state);
void an_item_is_opened_in_a_place_of_its_own(void **state);
void files_and_directories_have_the_modes_asked_for(void **state);

#endif
