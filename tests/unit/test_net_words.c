/* SPDX-License-Identifier: Apache-2.0 */
/* The words behind weir net: the plan they make, and which are refused. */
#include "weir/front/front.h"

#include "front/net/net_words.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define WORDS_MAX 8

static int read_words(const char *const words[], struct weir_command *command,
                      struct weir_error *error)
{
    int count = 0;

    while (count < WORDS_MAX && words[count])
        count++;
    *command = (struct weir_command){0};
    *error = (struct weir_error){0};
    return weir_net_words_read(count, words, command, error);
}

static void close_command(struct weir_command *command)
{
    weir_net_plan_close(command->net);
    weir_text_close(&command->text);
    weir_arena_close(&command->arena);
}

/* The lines of the explained plan that differ from those of no words at all. */
static const struct {
    const char *words[WORDS_MAX];
    const char *lines[3];
} good[] = {
    {{"--provider=tcp"}, {"provider: tcp\n"}},
    {{"--provider", "mpi"}, {"provider: mpi\n", "verb: send\n"}},
    {{"--provider", "mpi", "--op=send"}, {"provider: mpi\n", "verb: send\n"}},
    {{"--device", "mlx5_0/1"}, {"provider: verbs\n", "device: mlx5_0/1\n"}},
    {{"--gid=0"}, {"provider: verbs\n", "gid: 0\n"}},
    {{"--mtu", "1k"}, {"provider: verbs\n", "mtu: 1k\n"}},
    {{"--read-depth", "4"}, {"provider: verbs\n", "read depth: 4\n"}},
    {{"--inline", "0"}, {"provider: verbs\n", "inline: 0\n"}},
    {{"--inline", "64"}, {"provider: verbs\n", "inline: 64\n"}},
    {{"--traffic-class", "104", "--pkey=1"},
     {"provider: verbs\n", "service level: 0\ntraffic class: 104\nP_Key index: 1\n"}},
    {{"--signal-every", "4"}, {"provider: verbs\n", "signal every: 4\n"}},
    {{"--interface", "eth1"}, {"interface: eth1\n"}},
    {{"--test", "lat"},
     {"measure: latency\n", "message sizes: 8\n",
      "depth: 1\nin flight: as depth says\nbatch: 1\n"}},
    {{"--pattern=pairs"}, {"pattern: pairs\n"}},
    {{"--pattern=bis"}, {"pattern: bisection\n"}},
    {{"--pattern", "incast", "--both"}, {"pattern: incast\n", "both ways: yes\n"}},
    {{"--op=read"}, {"verb: read\n"}},
    {{"--op=send"}, {"verb: send\n"}},
    {{"--size", "1m"}, {"message sizes: 1m\n"}},
    {{"--sizes", "1:8"}, {"message sizes: 1 2 4 8\n"}},
    {{"--sizes", "3k:10k"}, {"message sizes: 3k 6k 10k\n"}},
    {{"--sizes", "4k,1,64k"}, {"message sizes: 4k 1 64k\n"}},
    {{"--sizes", "2m"}, {"message sizes: 2m\n"}},
    {{"--sizes", "7:7"}, {"message sizes: 7\n"}},
    {{"--duration", "0.5"}, {"duration: 0.5 s\n", "warm-up: 0.05 s\n"}},
    {{"--duration", "60"}, {"duration: 60 s\n", "warm-up: 0.5 s\n"}},
    {{"--iterations", "1k"}, {"messages: 1024 per flow\n", "warm-up: 0.3 s\n"}},
    {{"--warm-up=0"}, {"warm-up: 0 s\n"}},
    {{"--depth", "8"}, {"depth: 8\nin flight: as depth says\nbatch: 2\n"}},
    {{"--depth", "2"}, {"depth: 2\n", "batch: 1\n"}},
    {{"--depth", "8", "--batch", "8"}, {"depth: 8\n", "batch: 8\n"}},
    {{"--in-flight", "64k"}, {"depth: 128\nin flight: 64k\nbatch: 16\n"}},
    {{"--depth", "8", "--in-flight", "64k"}, {"depth: 8\nin flight: 64k\nbatch: 2\n"}},
    {{"--pairs", "3"}, {"depth: 128\nin flight: 3m\n"}},
    {{"--pairs", "4"}, {"pairs: 4\n"}},
    {{"--working-set", "1g"}, {"working set: 1g\n"}},
    {{"--huge-pages"}, {"huge pages: yes\n"}},
    {{"--interval", "0.25"}, {"interval: 0.25 s\n"}},
    {{"--repetitions", "5"}, {"repetitions: 5\n"}},
    {{"--format", "iperf"}, {"format: iperf\n", "interval: 1 s\n"}},
    {{"--format", "perftest", "--gbits"}, {"format: perftest\n"}},
    {{"--format", "json", "--result", "x"}, {"format: json\n"}},
    {{"--verify"}, {"verify: yes\n"}},
};

static void words_make_the_plan_that_they_say(void **state)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        struct weir_command command;
        struct weir_error error;
        struct weir_text text = {0};

        if (read_words(good[i].words, &command, &error) != 0)
            fail_msg("%s: %s", good[i].words[0], error.text);
        assert_int_equal(command.kind, WEIR_COMMAND_NET);
        weir_net_plan_explain(command.net, &text);
        for (size_t l = 0; l < COUNT(good[i].lines) && good[i].lines[l]; l++)
            if (strstr(weir_text_string(&text), good[i].lines[l]) == NULL)
                fail_msg("%s: no line %s in\n%s", good[i].words[0], good[i].lines[l],
                         weir_text_string(&text));
        weir_text_close(&text);
        close_command(&command);
    }
}

static void no_words_at_all_make_the_standard_plan(void **state)
{
    static const char *const none[WORDS_MAX] = {NULL};
    struct weir_command command;
    struct weir_error error;
    struct weir_text text = {0};

    assert_int_equal(read_words(none, &command, &error), 0);
    weir_net_plan_explain(command.net, &text);
    assert_string_equal(weir_text_string(&text), "net plan\n"
                                                 "provider: chosen\n"
                                                 "device: chosen\n"
                                                 "interface: chosen\n"
                                                 "gid: chosen\n"
                                                 "mtu: of the port\n"
                                                 "read depth: of the device\n"
                                                 "measure: bandwidth\n"
                                                 "pattern: pair\n"
                                                 "verb: write\n"
                                                 "both ways: no\n"
                                                 "message sizes: 64k\n"
                                                 "duration: 3 s\n"
                                                 "warm-up: 0.3 s\n"
                                                 "depth: 128\n"
                                                 "in flight: 1m\n"
                                                 "batch: 16\n"
                                                 "pairs: 1\n"
                                                 "signal every: the last of a list\n"
                                                 "working set: messages in flight, up to 8m\n"
                                                 "huge pages: no\n"
                                                 "repetitions: 1\n"
                                                 "verify: no\n"
                                                 "format: table\n");
    assert_string_equal(command.net->command_line, "weir net");
    assert_null(command.net->result_path);
    weir_text_close(&text);
    close_command(&command);
}

static void the_command_line_is_kept_and_bits_and_paths_are_read(void **state)
{
    static const char *const words[WORDS_MAX] = {"--format=perftest", "--gbits", "--result",
                                                 "r.json"};
    struct weir_command command;
    struct weir_error error;

    assert_int_equal(read_words(words, &command, &error), 0);
    assert_true(command.net->is_in_bits);
    assert_string_equal(command.net->result_path, "r.json");
    assert_string_equal(command.net->command_line,
                        "weir net --format=perftest --gbits --result r.json");
    close_command(&command);
}

static const struct {
    const char *words[WORDS_MAX];
    const char *sentence; /* what it begins with */
} bad[] = {
    {{"--gid=-2"}, "net: --gid: -2 is not between -1 and"},
    {{"--provider=tcp", "--device=mlx5_0"}, "net: --device: the provider tcp has no such thing"},
    {{"--provider=shm", "--mtu=1k"}, "net: --mtu: the provider shm"},
    {{"--provider=mpi", "--gid=1"}, "net: --gid: the provider mpi"},
    {{"--provider=tcp", "--read-depth=1"}, "net: --read-depth: the provider tcp"},
    {{"--provider=tcp", "--service-level=1"}, "net: --service-level: the provider tcp"},
    {{"--provider=shm", "--inline=0"}, "net: --inline: the provider shm"},
    {{"--provider=tcp", "--signal-every=1"}, "net: --signal-every: the provider tcp"},
    {{"--provider=mpi", "--op=write"},
     "net: --op write: over mpi, messages are sent; say --op send"},
    {{"--provider=mpi", "--interface=eth0"}, "net: --interface: MPI chooses"},
    {{"--provider=mpi", "--pairs=2"}, "net: --pairs: MPI chooses"},
    {{"--test=lat", "--both"}, "net: --both: a ping-pong"},
    {{"--test=lat", "--depth=2"}, "net: --depth: latency"},
    {{"--test=lat", "--in-flight=1m"}, "net: --in-flight: latency"},
    {{"--test=lat", "--pairs=4"}, "net: --pairs: latency"},
    {{"--test=lat", "--working-set=1m"}, "net: --working-set: latency"},
    {{"--test=lat", "--format=perftest", "--gbits"}, "net: --gbits: latency"},
    {{"--test=lat", "--verify"}, "net: --verify: latency"},
    {{"--test=lat", "--interval=1"}, "net: --interval: lines"},
    {{"--test=lat", "--format=iperf"}, "net: --format: iperf has no lines"},
    {{"--size=0"}, "net: --size: 0 bytes are no message"},
    {{"--size=2g"}, "net: --size: 2147483648 bytes"},
    {{"--size=4q"}, "net: --size: \"4q\" is not a size"},
    {{"--size=1k", "--sizes=1:2"}, "net: --sizes: --size gives one already"},
    {{"--sizes=8:1"}, "net: --sizes: 8:1 does not rise"},
    {{"--sizes=0:1"}, "net: --sizes: 0:1 does not rise"},
    {{"--sizes=1,,2"}, "net: --sizes: \"\" is not a size"},
    {{"--sizes=1:x"}, "net: --sizes: \"x\" is not a size"},
    {{"--sizes=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
     "net: --sizes: more than 40 sizes"},
    {{"--duration=1", "--iterations=5"}, "net: --iterations: --duration says"},
    {{"--duration=0"}, "net: --duration: 0 measures nothing"},
    {{"--duration=x"}, "net: --duration: \"x\" is not a time"},
    {{"--duration=90000"}, "net: --duration: longer than a day"},
    {{"--warm-up=90000"}, "net: --warm-up: longer than a day"},
    {{"--warm-up=-1"}, "net: --warm-up: \"-1\" is not a time"},
    {{"--interval=1", "--iterations=5"}, "net: --interval: with --iterations"},
    {{"--interval=0.0001"}, "net: --interval: shorter"},
    {{"--depth=65537"}, "net: --depth: 65537"},
    {{"--depth=4", "--batch=5"}, "net: --batch: 5 messages at once, and --depth is 4"},
    {{"--pairs=65"}, "net: --pairs: 65"},
    {{"--op=send", "--pairs=2"}, "net: --pairs: messages that are sent keep"},
    {{"--provider=shm", "--pairs=2"}, "net: --pairs: between processes of one node"},
    {{"--batch=65"}, "net: --batch: 65"},
    {{"--pairs=5000000000"}, "net: --pairs: 5000000000 is not between 0 and"},
    {{"--repetitions=10001"}, "net: --repetitions: 10001"},
    {{"--working-set=1k"}, "net: --working-set: 1024 bytes hold no message of 65536"},
    {{"--verify", "--working-set=1m"}, "net: --working-set: with --verify"},
    {{"--verify", "--size=7"}, "net: --verify: a message of 7 bytes"},
    {{"--gbits"}, "net: --gbits: only --format perftest"},
    {{"--pattern=ring"}, "net: "},
    {{"pair"}, "net: "},
};

static void what_cannot_be_is_refused_with_the_way_out(void **state)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct weir_command command;
        struct weir_error error;

        if (read_words(bad[i].words, &command, &error) == 0)
            fail_msg("%s is taken", bad[i].words[0]);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        if (strncmp(error.text, bad[i].sentence, strlen(bad[i].sentence)) != 0)
            fail_msg("%s: %s", bad[i].words[0], error.text);
        assert_null(command.net);
        close_command(&command);
    }
}

static void help_names_every_option_and_explain_runs_nothing(void **state)
{
    static const char *const help[WORDS_MAX] = {"--help"};
    static const char *const explain[WORDS_MAX] = {"--explain"};
    static const char *const options[] = {
        "--provider",    "--device",       "--interface", "--gid",        "--test",
        "--pattern",     "--op",           "--both",      "--size",       "--sizes",
        "--duration",    "--depth",        "--batch",     "--iterations", "--warm-up",
        "--pairs",       "--signal-every", "--mtu",       "--verify",     "--working-set",
        "--huge-pages",  "--read-depth",   "--interval",  "--format",     "--gbits",
        "--repetitions", "--result",       "--explain",   "--help",       "--in-flight"};
    struct weir_command command;
    struct weir_error error;

    assert_int_equal(read_words(help, &command, &error), 0);
    assert_int_equal(command.kind, WEIR_COMMAND_SAY);
    for (size_t i = 0; i < COUNT(options); i++)
        assert_non_null(strstr(weir_text_string(&command.text), options[i]));
    close_command(&command);
    assert_int_equal(read_words(explain, &command, &error), 0);
    assert_int_equal(command.kind, WEIR_COMMAND_NET_EXPLAIN);
    close_command(&command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_make_the_plan_that_they_say),
        cmocka_unit_test(no_words_at_all_make_the_standard_plan),
        cmocka_unit_test(the_command_line_is_kept_and_bits_and_paths_are_read),
        cmocka_unit_test(what_cannot_be_is_refused_with_the_way_out),
        cmocka_unit_test(help_names_every_option_and_explain_runs_nothing),
    };

    return cmocka_run_group_tests_name("net_words", tests, NULL, NULL);
}
