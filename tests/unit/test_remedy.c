/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies in sentences, and the words that dialects have for them. */
#include "front_bed.h"
#include "weir/base/remedy.h"
#include "weir/report/report.h"

#include <string.h>

static const struct weir_backends backends = {.count = 0};

#define SENTENCE "use " WEIR_REMEDY_SHIFT_NODES ", or {b} of {shift-nodes"

static void a_dialect_says_a_remedy_in_its_own_words(void **state)
{
    char copy[128];
    size_t length = weir_remedy_spell(weir_report_words("ior"), SENTENCE, copy, sizeof copy);

    (void)state;
    assert_int_equal(length, strlen(copy));
    assert_string_equal(copy, "use -C, or {b} of {shift-nodes");
}

static void a_dialect_without_a_word_says_a_neutral_one(void **state)
{
    static const struct weir_remedy_word words[] = {{WEIR_REMEDY_PATH, "-d"}, {0}};
    char copy[128], of_none[128];

    (void)state;
    weir_remedy_spell(words, SENTENCE, copy, sizeof copy);
    assert_string_equal(copy, "use a shift by nodes, or {b} of {shift-nodes");
    assert_null(weir_report_words("a dialect that is none"));
    weir_remedy_spell(NULL, SENTENCE, of_none, sizeof of_none);
    assert_string_equal(of_none, copy);
}

static void a_copy_without_room_is_cut_and_its_length_told(void **state)
{
    char copy[8];

    (void)state;
    assert_int_equal(weir_remedy_spell(NULL, WEIR_REMEDY_READ WEIR_REMEDY_READ, copy, sizeof copy),
                     strlen("a reada read"));
    assert_string_equal(copy, "a reada");
    assert_int_equal(weir_remedy_spell(NULL, "", copy, sizeof copy), 0);
    assert_string_equal(copy, "");
}

static const char *word_of(const struct weir_remedy_word *words, const char *remedy)
{
    while (words->remedy && strcmp(words->remedy, remedy) != 0)
        words++;
    return words->word;
}

/* Reports may be JSON: a word must not need an escape there. */
static void every_remedy_has_a_word_of_iors_that_json_takes(void **state)
{
    const struct weir_remedy_word *words = weir_report_words("ior");

    (void)state;
    for (const struct weir_remedy_word *row = weir_remedy_neutral; row->remedy; row++) {
        assert_non_null(word_of(words, row->remedy));
        assert_null(strpbrk(row->word, "\"\\{"));
        assert_null(strpbrk(word_of(words, row->remedy), "\"\\{"));
    }
    for (; words->remedy; words++)
        assert_non_null(word_of(weir_remedy_neutral, words->remedy));
}

/* Where the neutral word is an option, it is one of other dialects. */
static void dialects_have_their_own_words_for_options(void **state)
{
    (void)state;
    assert_string_equal(word_of(weir_report_words("targets"), WEIR_REMEDY_DEVICE), "--devices");
    assert_string_equal(word_of(weir_report_words("targets"), WEIR_REMEDY_DEVICE_FORCE),
                        "--write force");
    assert_string_equal(word_of(weir_report_words("dd"), WEIR_REMEDY_DEVICE), "--device allow");
    assert_non_null(word_of(weir_report_words("dd"), WEIR_REMEDY_KEEP));
    assert_non_null(word_of(weir_report_words("dd"), WEIR_REMEDY_FEWER_RANKS));
}

/* True if the help of the command has a row for `option` ("--device", "-+E", "conv"), not among
 * those that it refuses. */
static bool is_accepted(const char *help, const char *option, size_t length)
{
    bool is_refused = false;

    for (const char *line = help; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        const char *end;

        line += *line == '\n';
        if (*line != ' ' && *line != '\n')
            is_refused = strncmp(line, "Known, but refused", 18) == 0 ||
                         strncmp(line, "Backends that are not", 21) == 0;
        if (is_refused || strncmp(line, "  ", 2) != 0)
            continue;
        end = strstr(line + 2, "  ");
        for (const char *name = line + 2; name != NULL && name < end; name = strchr(name, ' ')) {
            name += *name == ' ';
            name += option[0] != '-' && strncmp(name, "--", 2) == 0 ? 2 : 0;
            if (strncmp(name, option, length) == 0 && strchr(",= ", name[length]) != NULL)
                return true;
        }
    }
    return false;
}

/* A remedy that a user cannot ask this command for is none. Words of another command begin with
 * its name. */
static void every_option_in_a_remedy_is_one_of_its_command(void **state)
{
    static const char *const dialects[] = {"ior", "mdtest",    "md-workbench", "iozone",
                                           "dd",  "parabench", "targets"};

    (void)state;
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++) {
        const char *const words[WORDS_MAX] = {"weir", dialects[d], "--help"};
        struct weir_command command = {0};
        struct weir_error error;
        size_t options = 0;

        assert_int_equal(read_words(words, &command, &error), 0);
        assert_false(is_accepted(command.text.data, "--no-such-option", 16));
        for (const struct weir_remedy_word *row = weir_remedy_neutral; row->remedy; row++) {
            const char *word = word_of(weir_report_words(dialects[d]), row->remedy);

            if (word == NULL)
                word = row->word;
            if (strncmp(word, "weir ", 5) == 0)
                continue;
            for (const char *at = word; *at != '\0'; at += strspn(at, " ")) {
                size_t length = strcspn(at, " ,"), operand = strcspn(at, "=");
                bool is_option = at[0] == '-', is_operand = operand < length;

                if (is_option || is_operand) {
                    options++;
                    if (!is_accepted(command.text.data, at, is_operand ? operand : length))
                        fail_msg("%s: \"%s\" for %s: the command has no %.*s", dialects[d], word,
                                 row->remedy, (int)length, at);
                }
                at += length + (at[length] == ',');
            }
        }
        assert_in_range(options, 4, SIZE_MAX);
        weir_command_close(&command);
    }
}

/* Remedies in the sentences about files and transfers, which these dialects have as IOR has. */
static void dialects_of_files_have_no_neutral_words(void **state)
{
    static const char *const dialects[] = {"iozone", "dd"};
    static const char *const remedies[] = {
        WEIR_REMEDY_PATH,          WEIR_REMEDY_BACKEND,      WEIR_REMEDY_KEEP,
        WEIR_REMEDY_USE_EXISTING,  WEIR_REMEDY_WRITE,        WEIR_REMEDY_READ,
        WEIR_REMEDY_TRANSFER_SIZE, WEIR_REMEDY_LESS_DATA,    WEIR_REMEDY_BLOCK_SIZE,
        WEIR_REMEDY_REPETITIONS,   WEIR_REMEDY_LONGER_PHASE, WEIR_REMEDY_SYNC,
        WEIR_REMEDY_BUFFERED,      WEIR_REMEDY_SHIFT_NODES,  WEIR_REMEDY_REPORT_FILE};

    (void)state;
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        for (size_t k = 0; k < sizeof remedies / sizeof *remedies; k++) {
            const char *word = word_of(weir_report_words(dialects[i]), remedies[k]);

            assert_non_null(word);
            assert_string_not_equal(word, word_of(weir_remedy_neutral, remedies[k]));
        }
}

/* dd names what it reads by one operand, and what it writes by another. */
static void a_word_may_depend_on_the_test(void **state)
{
    struct weir_phase phase = {.verb = WEIR_WRITE}, *phases[] = {&phase};
    struct weir_test dd = {.dialect = "dd", .phases = phases, .phase_count = 1};
    struct weir_setting settings[] = {{"mode", "throughput"}, {"clustered", "0"}};
    struct weir_test iozone = {.dialect = "iozone", .settings = settings, .setting_count = 2};
    struct weir_test *tests[] = {&dd, &iozone};
    struct weir_plan plan = {.dialect = "sweep", .tests = tests, .test_count = 2};

    (void)state;
    assert_string_equal(word_of(weir_report_words_of(&plan, 0), WEIR_REMEDY_PATH), "of=");
    phase.verb = WEIR_READ;
    assert_string_equal(word_of(weir_report_words_of(&plan, 0), WEIR_REMEDY_PATH), "if=");
    assert_string_equal(word_of(weir_report_words_of(&plan, 1), WEIR_REMEDY_PATH), "-F");
    settings[0].value = "single";
    assert_string_equal(word_of(weir_report_words_of(&plan, 1), WEIR_REMEDY_PATH), "-f");
    settings[1].value = "1";
    assert_string_equal(word_of(weir_report_words_of(&plan, 1), WEIR_REMEDY_PATH), "-+m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_in_a_remedy_is_one_of_its_command),
        cmocka_unit_test(dialects_have_their_own_words_for_options),
        cmocka_unit_test(dialects_of_files_have_no_neutral_words),
        cmocka_unit_test(a_word_may_depend_on_the_test),
        cmocka_unit_test(a_dialect_says_a_remedy_in_its_own_words),
        cmocka_unit_test(a_dialect_without_a_word_says_a_neutral_one),
        cmocka_unit_test(a_copy_without_room_is_cut_and_its_length_told),
        cmocka_unit_test(every_remedy_has_a_word_of_iors_that_json_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
