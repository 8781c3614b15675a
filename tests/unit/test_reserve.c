/* SPDX-License-Identifier: Apache-2.0 */
/* A process that gets no more memory: in children, as the reserve is given up once. */
#include "report_cases.h"

#include "weir/base/memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define HAS_LIMIT false /* its own memory is far beyond any */
#else
#define HAS_LIMIT true
#endif

/* All that malloc has or could get, but for one piece. */
static void use_up_memory(size_t left_bytes)
{
    void *left = malloc(left_bytes), *volatile used;
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};

    setrlimit(RLIMIT_AS, &none);
    for (size_t bytes = 1 << 20; bytes >= 16; bytes /= 2)
        do
            used = malloc(bytes);
        while (used != NULL);
    free(left);
}

/* True if the child exits with 0. */
static bool holds_in_child(bool (*holds)(size_t left_bytes), size_t left_bytes)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        weir_memory_reserve();
        use_up_memory(left_bytes);
        _exit(holds(left_bytes) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static struct scene recorded;
static struct weir_text whole;

static bool records_the_same(size_t left_bytes)
{
    struct weir_text text = {0};

    (void)left_bytes;
    record_whole(&text, &recorded);
    return weir_memory_is_short() && strcmp(weir_text_string(&text), whole.data) == 0;
}

static void a_record_is_whole_wherever_memory_ends_in_it(void **state)
{
    (void)state;
    if (!HAS_LIMIT)
        skip();
    weir_report_use_reserve();
    recorded = scenes[0].make();
    record_whole(&whole, &recorded);
    for (size_t left_bytes = 16; left_bytes < whole.length; left_bytes += 256)
        if (!holds_in_child(records_the_same, left_bytes))
            fail_msg("with %zu bytes left the record is another one", left_bytes);
    weir_text_close(&whole);
    scene_close(&recorded);
}

static bool has_some_again(size_t left_bytes)
{
    void *some;

    (void)left_bytes;
    weir_memory_check();
    some = malloc(64 << 10);
    return weir_memory_is_short() && some != NULL;
}

static void libraries_have_memory_where_little_was_left(void **state)
{
    (void)state;
    if (!HAS_LIMIT)
        skip();
    for (size_t left_bytes = 16; left_bytes <= 256 << 10; left_bytes *= 4)
        assert_true(holds_in_child(has_some_again, left_bytes));
}

static void the_reserve_is_kept_where_there_is_memory(void **state)
{
    (void)state;
    weir_memory_check();
    assert_false(weir_memory_is_short());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_whole_wherever_memory_ends_in_it),
        cmocka_unit_test(libraries_have_memory_where_little_was_left),
        cmocka_unit_test(the_reserve_is_kept_where_there_is_memory),
    };

    return cmocka_run_group_tests_name("reserve", tests, NULL, NULL);
}
