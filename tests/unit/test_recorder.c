/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that gives a run up and the main thread do not use the recorder at the same time. */
#include "report_cases.h"

#include "commands/recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

struct main_thread {
    struct weir_observer observer;
    _Atomic bool has_returned;
};

static void *show_progress(void *context)
{
    struct main_thread *thread = context;
    struct weir_progress progress = {.sleep_s = 1.0};

    thread->observer.progress(thread->observer.context, &progress);
    atomic_store(&thread->has_returned, true);
    return NULL;
}

static void a_recorder_that_was_seized_keeps_the_main_thread_out(void **state)
{
    struct scene scene = make_default();
    struct weir_resumption resumption = {0};
    struct main_thread thread = {0};
    struct timespec nap = {.tv_nsec = 200000000};
    struct weir_recorder recorder;
    pthread_t other;

    (void)state;
    weir_recorder_open(&recorder, scene.plan, scene.result, &resumption, NULL, NULL,
                       &thread.observer);
    show_progress(&thread);
    assert_true(atomic_load(&thread.has_returned));
    atomic_store(&thread.has_returned, false);

    assert_true(weir_recorder_seize(&recorder));
    assert_int_equal(pthread_create(&other, NULL, show_progress, &thread), 0);
    nanosleep(&nap, NULL);
    assert_false(atomic_load(&thread.has_returned));
    pthread_mutex_unlock(&recorder.lock);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_true(atomic_load(&thread.has_returned));
    scene_close(&scene);
}

/* The main thread is in a function of the observer, in a write to a full pipe. */
static void a_recorder_that_is_in_use_for_long_is_not_seized(void **state)
{
    struct scene scene = make_default();
    struct weir_resumption resumption = {0};
    struct weir_observer observer;
    struct weir_recorder recorder;

    (void)state;
    weir_recorder_open(&recorder, scene.plan, scene.result, &resumption, NULL, NULL, &observer);
    pthread_mutex_lock(&recorder.lock);
    assert_false(weir_recorder_seize(&recorder));
    pthread_mutex_unlock(&recorder.lock);
    assert_true(weir_recorder_seize(&recorder));
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorder_that_was_seized_keeps_the_main_thread_out),
        cmocka_unit_test(a_recorder_that_is_in_use_for_long_is_not_seized),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
