/* SPDX-License-Identifier: Apache-2.0 */
/* Cases for single backends; `*state` is a struct subject, as for all cases. */
#ifndef WEIR_TESTS_CONTRACT_SPECIAL_CASES_H
#define WEIR_TESTS_CONTRACT_SPECIAL_CASES_H

void names_may_tell_the_kind_of_file_system_first(void **state);
void hints_come_from_environment_and_file(void **state);
void preallocated_files_have_their_size_from_the_start(void **state);
void transfers_fail_where_they_are_told_to(void **state);
void a_flip_is_one_bit_of_each_read_that_is_hit(void **state);
void open_sync_and_close_fail_where_they_are_told_to(void **state);
void a_fault_nobody_knows_is_refused(void **state);

#endif
