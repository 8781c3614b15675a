/* SPDX-License-Identifier: Apache-2.0 */
/* A run that has no process for its commands shows no text, and goes on. */
#include "commands/live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned shown;

/* In the place of malloc(3): memory with no end of a string in it. */
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    void *memory = __real_malloc(bytes);

    return memory != NULL && bytes == WEIR_SHELL_OUTPUT_BYTES ? memset(memory, 'x', bytes) : memory;
}

void __wrap_weir_text_make_visible(char *string, const char *kept);
void __wrap_weir_text_make_visible(char *string, const char *kept)
{
    (void)kept;
    if (shown++ == 0) /* messages follow */
        assert_int_equal(string[0], '\0');
}

static void a_command_without_a_process_shows_nothing(void **state)
{
    const struct weir_live_request request = {.on_phase = "true"};
    struct weir_text record = {0};
    struct weir_live live;

    (void)state;
    weir_live_open(&live, &request, 0);
    weir_live_run_command(&live, &record);
    assert_true(shown > 0);
    assert_int_equal(live.command_count, 1);
    assert_int_equal(live.failure_count, 1);
    weir_live_close(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_without_a_process_shows_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
