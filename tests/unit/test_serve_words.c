/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked by "weir serve", and what is refused. */
#include "weir/front/front.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_MAX 32

static const struct weir_backends no_backends;

static int read_line(const char *line, struct weir_command *command, struct weir_error *error)
{
    static char text[512]; /* requests point into it */
    const char *words[WORDS_MAX] = {"weir", "serve"};
    int count = 2;
    char *rest;

    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    *error = (struct weir_error){0};
    return weir_front_read(count, words, &no_backends, command, error);
}

/* ---- what it becomes ---- */

/* As one line, so that a table can say what is expected. */
static void describe(const struct weir_serve_request *request, char text[512])
{
    snprintf(text, 512,
             "provider=%s device=%s interface=%s gid=%d listen=%s secret=%s advert=%s "
             "back=%s capacity=%llu idle=%llu spin=%llu clients=%u huge=%d once=%d",
             request->provider ? request->provider : "-", request->device ? request->device : "-",
             request->interface ? request->interface : "-", request->gid_index,
             request->listen ? request->listen : "-", request->secret_path,
             request->advert_path ? request->advert_path : "-",
             request->backing_path ? request->backing_path : "-",
             (unsigned long long)request->capacity_bytes, (unsigned long long)request->idle_ns,
             (unsigned long long)request->spin_ns, request->client_limit, request->needs_huge_pages,
             request->is_once);
}

static void words_become_a_request(void **state)
{
    static const struct {
        const char *line;
        const char *request;
    } cases[] = {
        {"--secret-file s",
         "provider=- device=- interface=- gid=-1 listen=- secret=s advert=- back=- "
         "capacity=1073741824 idle=0 spin=0 clients=1024 huge=0 once=0"},
        {"--secret-file s --listen n1:7471 --provider tcp --interface eth0 --capacity 64m "
         "--huge-pages --back /b.%d --advertise a --clients 7 --idle 2.5 --once --spin 20",
         "provider=tcp device=- interface=eth0 gid=-1 listen=n1:7471 secret=s advert=a "
         "back=/b.%d capacity=67108864 idle=2500000000 spin=20000 clients=7 huge=1 once=1"},
        {"--secret-file=s --provider=verbs --device=mlx5_0/1 --gid=3",
         "provider=verbs device=mlx5_0/1 interface=- gid=3 listen=- secret=s advert=- "
         "back=- capacity=1073741824 idle=0 spin=0 clients=1024 huge=0 once=0"},
        {"--secret-file s --device rxe0 --gid 0 --capacity 1m --clients 65536",
         "provider=verbs device=rxe0 interface=- gid=0 listen=- secret=s advert=- "
         "back=- "
         "capacity=1048576 idle=0 spin=0 clients=65536 huge=0 once=0"},
        {"--secret-file s --provider shm --gid -1",
         "provider=shm device=- interface=- gid=-1 listen=- secret=s advert=- back=- "
         "capacity=1073741824 idle=0 spin=0 clients=1024 huge=0 once=0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_command command;
        struct weir_error error;
        char text[512];

        assert_int_equal(read_line(cases[i].line, &command, &error), 0);
        assert_int_equal(command.kind, WEIR_COMMAND_SERVE);
        describe(&command.serve, text);
        assert_string_equal(text, cases[i].request);
        weir_command_close(&command);
    }
}

static void words_that_make_no_sense_are_refused_with_the_way_out(void **state)
{
    static const struct {
        const char *line;
        const char *sentence; /* its beginning */
    } cases[] = {
        {"", "serve: --secret-file is missing: clients must prove a secret"},
        {"--provider tcp", "serve: --secret-file is missing"},
        {"--secret-file s --capacity 1023k", "serve: --capacity: 1023k is not between 1m and"},
        {"--secret-file s --capacity 0", "serve: --capacity: "},
        {"--secret-file s --clients 0", "serve: --clients: 0 is not between 1 and 65536"},
        {"--secret-file s --clients 65537", "serve: --clients: 65537 is not between"},
        {"--secret-file s --gid 256", "serve: --gid: 256 is not between -1 and 255"},
        {"--secret-file s --gid -2", "serve: --gid: -2 is not between -1 and 255"},
        {"--secret-file s --provider tcp --device mlx5_0", "serve: --device: only verbs has that"},
        {"--secret-file s --provider shm --gid 1", "serve: --gid: only verbs has that"},
        {"--secret-file s --provider smc", "serve: "},
        {"--secret-file s --idle never", "serve: "},
        {"--secret-file s objects", "serve: "},
        {"--secret-file s --stripe-unit 1m", "serve: "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_command command;
        struct weir_error error;

        assert_int_not_equal(read_line(cases[i].line, &command, &error), 0);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        if (strncmp(error.text, cases[i].sentence, strlen(cases[i].sentence)) != 0)
            fail_msg("weir serve %s: %s", cases[i].line, error.text);
        weir_command_close(&command);
    }
}

static void help_tells_of_every_option(void **state)
{
    static const char *const words[] = {"Usage: weir serve",
                                        "--secret-file",
                                        "--listen",
                                        "--provider",
                                        "--device",
                                        "--interface",
                                        "--gid",
                                        "--capacity",
                                        "--huge-pages",
                                        "--back",
                                        "--advertise",
                                        "--clients",
                                        "--idle",
                                        "--once",
                                        "--spin",
                                        "--help"};
    struct weir_command command;
    struct weir_error error;

    (void)state;
    assert_int_equal(read_line("--help", &command, &error), 0);
    assert_int_equal(command.kind, WEIR_COMMAND_SAY);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(weir_text_string(&command.text), words[i]) == NULL)
            fail_msg("the help says nothing of %s", words[i]);
    weir_command_close(&command);
}

static void the_program_tells_of_its_networks(void **state)
{
    static const char *const words[] = {"weir", "--help"};
    struct weir_error error = {0};
    struct weir_command command;

    (void)state;
    assert_int_equal(weir_front_read(2, words, &no_backends, &command, &error), 0);
    assert_non_null(strstr(weir_text_string(&command.text), "weir serve"));
    assert_non_null(strstr(weir_text_string(&command.text), "weir net"));
    weir_command_close(&command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_a_request),
        cmocka_unit_test(words_that_make_no_sense_are_refused_with_the_way_out),
        cmocka_unit_test(help_tells_of_every_option),
        cmocka_unit_test(the_program_tells_of_its_networks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
