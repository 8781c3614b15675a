/* SPDX-License-Identifier: Apache-2.0 */
/* The words behind weir doctor and weir topology: what they ask, and which are refused. */
#include "front_bed.h"

#include <errno.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct weir_backends backends = {NULL, 0, NULL};

static void assert_same_text(const char *is, const char *expected)
{
    if (!expected)
        assert_null(is);
    else
        assert_string_equal(is ? is : "(nothing)", expected);
}

static const struct {
    const char *words[WORDS_MAX];
    enum weir_command_kind kind;
    struct weir_host_question question;
} good_words[] = {
    {{"weir", "doctor"}, WEIR_COMMAND_DOCTOR, {0}},
    {{"ior", "doctor"}, WEIR_COMMAND_DOCTOR, {0}},
    {{"weir", "doctor", "/scratch"}, WEIR_COMMAND_DOCTOR, {.path = "/scratch"}},
    {{"weir", "doctor", "--ranks=0"}, WEIR_COMMAND_DOCTOR, {0}},
    {{"weir", "doctor", "--pin-order=auto", "--nic", "auto"}, WEIR_COMMAND_DOCTOR, {0}},
    {{"weir", "doctor", "--ranks", "4"},
     WEIR_COMMAND_DOCTOR,
     {.rank_count = 4, .pinning = {.policy = WEIR_PIN_CORE}}},
    {{"weir", "doctor", "--ranks", "4", "here", "--PIN", "pu", "--pin-order=scatter"},
     WEIR_COMMAND_DOCTOR,
     {.path = "here",
      .rank_count = 4,
      .pinning = {.policy = WEIR_PIN_PU, .order = WEIR_PIN_SCATTER}}},
    {{"weir", "doctor", "/dev/sda", "--ranks=2", "--pin=storage"},
     WEIR_COMMAND_DOCTOR,
     {.path = "/dev/sda", .rank_count = 2, .pinning = {.policy = WEIR_PIN_STORAGE}}},
    {{"weir", "doctor", "--ranks=2", "--pin=none"}, WEIR_COMMAND_DOCTOR, {.rank_count = 2}},
    {{"weir", "topology"}, WEIR_COMMAND_TOPOLOGY, {.pinning = {.policy = WEIR_PIN_CORE}}},
    {{"weir", "topology", "--ranks=65536", "--pin=none"},
     WEIR_COMMAND_TOPOLOGY,
     {.rank_count = 65536}},
    {{"weir", "topology", "--xml", "node.xml", "--pin", "nic", "--nic", "mlx5_1"},
     WEIR_COMMAND_TOPOLOGY,
     {.xml_path = "node.xml", .pinning = {.policy = WEIR_PIN_NIC, .nic = "mlx5_1"}}},
    {{"weir", "topology", "--synthetic", "pack:2 core:4", "--allowed=0-2,5", "--ranks", "3"},
     WEIR_COMMAND_TOPOLOGY,
     {.synthetic = "pack:2 core:4",
      .allowed = "0-2,5",
      .rank_count = 3,
      .pinning = {.policy = WEIR_PIN_CORE}}},
    {{"weir", "topology", "--pin=list:3+1", "--ranks=2"},
     WEIR_COMMAND_TOPOLOGY,
     {.rank_count = 2, .pinning = {.policy = WEIR_PIN_LIST, .list = "3,1"}}},
    {{"weir", "topology", "--pin=rankfile:r.txt"},
     WEIR_COMMAND_TOPOLOGY,
     {.pinning = {.policy = WEIR_PIN_RANKFILE, .rankfile_path = "r.txt"}}},
    {{"weir", "topology", "--pin", "storage", "--target", "/scratch"},
     WEIR_COMMAND_TOPOLOGY,
     {.path = "/scratch", .pinning = {.policy = WEIR_PIN_STORAGE}}},
};

static void words_become_a_question(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good_words); i++) {
        const struct weir_host_question *expected = &good_words[i].question;
        struct weir_command command;
        const struct weir_host_question *question = &command.question;
        struct weir_error error;

        if (read_words(good_words[i].words, &command, &error))
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(command.kind, good_words[i].kind);
        assert_int_equal(question->rank_count, expected->rank_count);
        assert_int_equal(question->pinning.policy, expected->pinning.policy);
        assert_int_equal(question->pinning.order, expected->pinning.order);
        assert_same_text(question->path, expected->path);
        assert_same_text(question->xml_path, expected->xml_path);
        assert_same_text(question->synthetic, expected->synthetic);
        assert_same_text(question->allowed, expected->allowed);
        assert_same_text(question->pinning.list, expected->pinning.list);
        assert_same_text(question->pinning.rankfile_path, expected->pinning.rankfile_path);
        assert_same_text(question->pinning.nic, expected->pinning.nic);
        weir_command_close(&command);
    }
}

static const struct {
    const char *words[WORDS_MAX];
    const char *text;
} bad_words[] = {
    {{"weir", "doctor", "/a", "/b"},
     "doctor: \"/b\" is a word too many: one path is looked at, and that is /a"},
    {{"weir", "doctor", "--path=/a"}, "doctor: --path: unknown option"},
    {{"weir", "doctor", "--rank=3"}, "doctor: --rank: unknown option (did you mean --ranks?)"},
    {{"weir", "doctor", "--ranks"}, "doctor: --ranks: value is missing"},
    {{"weir", "doctor", "--ranks", "--pin=core"},
     "doctor: --ranks: value is missing (the next word, --pin=core, is an option)"},
    {{"weir", "doctor", "--ranks=-1"},
     "doctor: --ranks: \"-1\" is not a count (a whole number, 0 or more)"},
    {{"weir", "doctor", "--ranks=65537"}, "doctor: --ranks: 65537 is not between 0 and 65536"},
    {{"weir", "doctor", "--xml=a"}, "doctor: --xml: unknown option"},
    {{"weir", "doctor", "--pin=core"},
     "doctor: --pin: no ranks are drawn; say how many with --ranks, or leave it out"},
    {{"weir", "doctor", "--pin-order=compact", "--ranks=0"},
     "doctor: --pin-order: no ranks are drawn; say how many with --ranks, or leave it out"},
    {{"weir", "doctor", "--nic=eth0"},
     "doctor: --nic: no ranks are drawn; say how many with --ranks, or leave it out"},
    {{"weir", "doctor", "--ranks=2", "--nic=eth0"},
     "doctor: --nic: only --pin nic looks for a network device, and this is --pin core; say auto, "
     "or give --pin nic"},
    {{"weir", "doctor", "--ranks=2", "--pin=storage"},
     "doctor: --pin: storage is that behind a path, and none is given; write weir doctor PATH "
     "--ranks N --pin storage"},
    {{"weir", "topology", "/scratch"},
     "topology: \"/scratch\" is not an option; options begin with -"},
    {{"weir", "topology", "--xml=a", "--synthetic=core:2"},
     "topology: --synthetic: one host is drawn, and --xml names another; leave one of the two out"},
    {{"weir", "topology", "--allowed=0-"},
     "topology: --allowed: \"0-\" is no list of processors; give numbers below 4096 and ranges, "
     "such as 0-3,8"},
    {{"weir", "topology", "--allowed=4096"},
     "topology: --allowed: \"4096\" is no list of processors; give numbers below 4096 and ranges, "
     "such as 0-3,8"},
    {{"weir", "topology", "--ranks=1m"}, "topology: --ranks: 1m is not between 0 and 65536"},
    {{"weir", "topology", "--pin=list:x"},
     "topology: --pin: \"list:x\" names no processors; give numbers and ranges, such as "
     "list:0-3,8"},
    {{"weir", "topology", "--pin-order=rows"},
     "topology: --pin-order: \"rows\" is not one of auto|compact|scatter"},
    {{"weir", "topology", "--pin=storage"},
     "topology: --pin: storage is that behind a path; give it with --target"},
    {{"weir", "topology", "--target=/scratch"},
     "topology: --target: only --pin storage looks for what is behind a path, and this is --pin "
     "core; leave one of the two out"},
};

static void words_that_ask_nothing_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad_words); i++) {
        struct weir_command command;
        struct weir_error error;

        assert_int_equal(read_words(bad_words[i].words, &command, &error), -EINVAL);
        assert_string_equal(error.text, bad_words[i].text);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        weir_command_close(&command);
    }
}

static void help_of_a_command_names_its_options_and_no_others(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *has;
        const char *lacks;
    } cases[] = {
        {{"weir", "doctor", "--help"}, "Usage: weir doctor [PATH] [OPTION...]\n", "--xml"},
        {{"weir", "doctor", "/tmp", "-h"}, "\n  --pin=", "--allowed"},
        {{"weir", "doctor", "--pin=core", "--help"}, "\n  --ranks=", "--target"},
        {{"weir", "topology", "-h"}, "Usage: weir topology [OPTION...]\n", "[PATH]"},
        {{"weir", "topology", "--help"}, "\n  --synthetic=", "doctor"},
        {{"weir", "--help"}, "\n  weir doctor [PATH]      ", "--synthetic"},
        {{"weir", "help"}, "\n  weir topology           ", "--synthetic"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        struct weir_error error;

        if (read_words(cases[i].words, &command, &error))
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(command.kind, WEIR_COMMAND_SAY);
        if (!strstr(weir_text_string(&command.text), cases[i].has))
            fail_msg("case %zu: %s is missing", i, cases[i].has);
        if (strstr(weir_text_string(&command.text), cases[i].lacks))
            fail_msg("case %zu: %s is there", i, cases[i].lacks);
        weir_command_close(&command);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_a_question),
        cmocka_unit_test(words_that_ask_nothing_are_refused),
        cmocka_unit_test(help_of_a_command_names_its_options_and_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
