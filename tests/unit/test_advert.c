/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a file that many servers come to and leave at once. */
#include "commands/advert.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct bed {
    char directory[64];
    char path[96];
};

static void set_up(struct bed *bed)
{
    *bed = (struct bed){.directory = "/tmp/test_advert.XXXXXX"};
    assert_non_null(mkdtemp(bed->directory));
    snprintf(bed->path, sizeof bed->path, "%s/servers", bed->directory);
}

static void tear_down(const struct bed *bed)
{
    unlink(bed->path);
    assert_int_equal(rmdir(bed->directory), 0); /* nothing else is left */
}

static void read_file(const struct bed *bed, char text[4096])
{
    FILE *file = fopen(bed->path, "re");
    size_t bytes = 0;

    if (file != NULL) {
        bytes = fread(text, 1, 4095, file);
        fclose(file);
    }
    text[bytes] = '\0';
}

static void write_file(const struct bed *bed, const char *text)
{
    FILE *file = fopen(bed->path, "we");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_line_comes_once_and_goes_without_the_others(void **state)
{
    static const struct {
        const char *before;
        bool is_added;
        const char *line;
        const char *after;
    } cases[] = {
        {"", true, "n1:1", "n1:1\n"},
        {"n2:2\n", true, "n1:1", "n2:2\nn1:1\n"},
        {"n1:1\nn2:2\n", true, "n1:1", "n1:1\nn2:2\n"},
        {"n1:11\n", true, "n1:1", "n1:11\nn1:1\n"},
        {"n2:2", true, "n1:1", "n2:2\nn1:1\n"},
        {"n1:1\nn2:2\nn3:3\n", false, "n2:2", "n1:1\nn3:3\n"},
        {"n1:1\nn1:11\n", false, "n1:1", "n1:11\n"},
        {"n1:1\n", false, "n2:2", "n1:1\n"},
        {"n2:2\nn1:1", false, "n1:1", "n2:2\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};
        char text[4096];
        struct bed bed;

        set_up(&bed);
        write_file(&bed, cases[i].before);
        if (cases[i].is_added)
            assert_int_equal(weir_advert_add(bed.path, cases[i].line, NULL, &error), 0);
        else
            assert_int_equal(weir_advert_remove(bed.path, cases[i].line, &error), 0);
        read_file(&bed, text);
        assert_string_equal(text, cases[i].after);
        tear_down(&bed);
    }
}

static void the_file_comes_with_the_first_line_and_goes_with_the_last(void **state)
{
    struct weir_error error = {0};
    struct stat facts;
    struct bed bed;

    (void)state;
    set_up(&bed);
    assert_int_equal(weir_advert_remove(bed.path, "n1:1", &error), 0);
    assert_int_not_equal(stat(bed.path, &facts), 0);
    assert_int_equal(weir_advert_add(bed.path, "n1:1", NULL, &error), 0);
    assert_int_equal(stat(bed.path, &facts), 0);
    assert_int_equal(weir_advert_remove(bed.path, "n1:1", &error), 0);
    assert_int_not_equal(stat(bed.path, &facts), 0);
    tear_down(&bed);
}

static void who_may_read_it_stays(void **state)
{
    struct weir_error error = {0};
    struct stat facts;
    struct bed bed;

    (void)state;
    set_up(&bed);
    write_file(&bed, "n1:1\n");
    assert_int_equal(chmod(bed.path, 0640), 0);
    assert_int_equal(weir_advert_add(bed.path, "n2:2", NULL, &error), 0);
    assert_int_equal(stat(bed.path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0640);
    tear_down(&bed);
}

static void what_cannot_be_written_is_said(void **state)
{
    struct weir_error error = {0};

    (void)state;
    assert_int_not_equal(weir_advert_add("/proc/none/servers", "n1:1", NULL, &error), 0);
    assert_int_equal(error.exit, WEIR_EXIT_ENVIRONMENT);
    assert_non_null(strstr(error.text, "serve: --advertise: /proc/none/servers"));
}

/* As in a full file system: the file can be created, and nothing can be written. */
static void a_file_that_cannot_be_filled_is_not_left_empty(void **state)
{
    const struct rlimit none = {0, RLIM_INFINITY};
    struct weir_error error = {0};
    struct rlimit before;
    struct stat facts;
    struct bed bed;
    int codes[2];

    (void)state;
    set_up(&bed);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    codes[0] = weir_advert_add(bed.path, "n1:1", NULL, &error);
    codes[1] = stat(bed.path, &facts);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(codes[0], -EFBIG);
    assert_int_equal(codes[1], -1);
    assert_int_equal(error.exit, WEIR_EXIT_ENVIRONMENT);
    /* A file of somebody else stays. */
    write_file(&bed, "");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    codes[0] = weir_advert_add(bed.path, "n1:1", NULL, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(codes[0], -EFBIG);
    assert_int_equal(stat(bed.path, &facts), 0);
    tear_down(&bed);
}

static void a_signal_ends_the_wait_for_the_lock(void **state)
{
    const volatile sig_atomic_t stop_signal = SIGTERM;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct weir_error error = {0};
    struct bed bed;
    char text[4096];
    int fd;

    (void)state;
    set_up(&bed);
    write_file(&bed, "n1:1\n");
    fd = open(bed.path, O_RDWR | O_CLOEXEC);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
    assert_int_equal(weir_advert_add(bed.path, "n2:2", &stop_signal, &error), -EINTR);
    assert_false(weir_error_is_set(&error));
    close(fd);
    read_file(&bed, text);
    assert_string_equal(text, "n1:1\n");
    tear_down(&bed);
}

/* ---- many at once ---- */

enum { SERVERS = 8, TURNS = 25 };

struct server {
    struct bed *bed;
    pthread_t thread;
    int number;
    int failures;
};

static void *come_and_go(void *context)
{
    struct server *server = context;
    struct weir_error error = {0};
    char line[32];

    for (int turn = 0; turn < TURNS; turn++) {
        snprintf(line, sizeof line, "node-%d:%d", server->number, 1000 + turn);
        server->failures += weir_advert_add(server->bed->path, line, NULL, &error) != 0;
        if (turn + 1 < TURNS)
            server->failures += weir_advert_remove(server->bed->path, line, &error) != 0;
    }
    return NULL;
}

struct reader {
    struct bed *bed;
    atomic_bool is_over;
    int broken;
};

static bool is_whole(const char *line)
{
    int number, turn, used = 0;

    return sscanf(line, "node-%d:%d%n", &number, &turn, &used) == 2 && line[used] == '\0' &&
           turn >= 1000;
}

static void *read_all_the_time(void *context)
{
    struct reader *reader = context;
    char text[4096], *rest;

    while (!reader->is_over) {
        read_file(reader->bed, text);
        reader->broken += text[0] != '\0' && text[strlen(text) - 1] != '\n';
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            reader->broken += !is_whole(line);
    }
    return NULL;
}

static void servers_that_come_and_go_at_once_lose_no_line_and_readers_see_whole_ones(void **state)
{
    struct server servers[SERVERS];
    struct reader reader = {0};
    pthread_t thread;
    char text[4096];
    struct bed bed;

    (void)state;
    set_up(&bed);
    reader.bed = &bed;
    assert_int_equal(pthread_create(&thread, NULL, read_all_the_time, &reader), 0);
    for (int i = 0; i < SERVERS; i++) {
        servers[i] = (struct server){.bed = &bed, .number = i};
        assert_int_equal(pthread_create(&servers[i].thread, NULL, come_and_go, &servers[i]), 0);
    }
    for (int i = 0; i < SERVERS; i++) {
        pthread_join(servers[i].thread, NULL);
        assert_int_equal(servers[i].failures, 0);
    }
    reader.is_over = true;
    pthread_join(thread, NULL);
    assert_int_equal(reader.broken, 0);
    read_file(&bed, text);
    assert_int_equal(strlen(text), SERVERS * strlen("node-0:1024\n"));
    for (int i = 0; i < SERVERS; i++) {
        char line[32];

        snprintf(line, sizeof line, "node-%d:%d\n", i, 1000 + TURNS - 1);
        assert_non_null(strstr(text, line));
    }
    tear_down(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_comes_once_and_goes_without_the_others),
        cmocka_unit_test(the_file_comes_with_the_first_line_and_goes_with_the_last),
        cmocka_unit_test(who_may_read_it_stays),
        cmocka_unit_test(what_cannot_be_written_is_said),
        cmocka_unit_test(a_file_that_cannot_be_filled_is_not_left_empty),
        cmocka_unit_test(a_signal_ends_the_wait_for_the_lock),
        cmocka_unit_test(servers_that_come_and_go_at_once_lose_no_line_and_readers_see_whole_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
