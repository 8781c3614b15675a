/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as they come from the network: what is in order is read, and nothing else. */
#include "network/objects/protocol.h"

#include "weir/base/random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A request with its parts behind it: `path`, `new_path` and so much payload as it says. */
static int parse(const struct weir_request *request, const char *tail,
                 struct weir_parsed_request *parsed)
{
    size_t rest = (size_t)request->path_bytes + request->new_path_bytes + request->payload_bytes;
    /* To the byte: whoever reads beyond is caught by the sanitizer; and at an odd address. */
    unsigned char *message = malloc(sizeof *request + rest + 1);
    int code;

    memcpy(message + 1, request, sizeof *request);
    memset(message + 1 + sizeof *request, 0, rest);
    memcpy(message + 1 + sizeof *request, tail, strlen(tail) < rest ? strlen(tail) : rest);
    code = weir_request_parse(message + 1, sizeof *request + rest, parsed);
    free(message);
    return code;
}

#define ID .object = 7, .generation = 8
#define KEY                                                                                        \
    {                                                                                              \
        .address = 1000, .bytes = 100                                                              \
    }
#define MIB WEIR_CHUNK_BYTES

static const struct {
    struct weir_request request;
    const char *tail;
    int code;
} cases[] = {
    {{.verb = 0}, "", -EINVAL},
    {{.verb = WEIR_VERB_COUNT}, "", -EINVAL},
    {{.verb = UINT32_MAX}, "", -EINVAL},
    {{.verb = WEIR_VERB_PING}, "", 0},
    {{.verb = WEIR_VERB_PING, .payload_bytes = 3}, "abc", 0},
    {{.verb = WEIR_VERB_PING, .flags = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_PING, .cookie = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_PING, .address = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_HELLO, .payload_bytes = sizeof(struct weir_hello)}, "", 0},
    {{.verb = WEIR_VERB_HELLO, .payload_bytes = sizeof(struct weir_hello) - 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_OPEN, .path_bytes = 2}, "/a", 0},
    {{.verb = WEIR_VERB_OPEN, .path_bytes = 3}, "/a", -EINVAL}, /* a NUL */
    {{.verb = WEIR_VERB_OPEN}, "", -EINVAL},
    {{.verb = WEIR_VERB_OPEN, ID}, "", -EINVAL},
    {{.verb = WEIR_VERB_OPEN, .object = 7}, "", -EINVAL},
    {{.verb = WEIR_VERB_OPEN, ID, .path_bytes = 1}, "a", -EINVAL},
    {{.verb = WEIR_VERB_OPEN, .flags = 1, .path_bytes = 1}, "a", -EINVAL}, /* no layout */
    {{.verb = WEIR_VERB_OPEN, .flags = 1, .unit_bytes = 1, .count = 1, .path_bytes = 1}, "a", 0},
    {{.verb = WEIR_VERB_OPEN, .flags = 1, .unit_bytes = 1, .count = 1025, .path_bytes = 1},
     "a",
     -EINVAL},
    {{.verb = WEIR_VERB_OPEN, .flags = 1, .unit_bytes = UINT64_MAX, .count = 1, .path_bytes = 1},
     "a",
     -EINVAL},
    {{.verb = WEIR_VERB_OPEN, .flags = 3, .unit_bytes = 1, .count = 1, .path_bytes = 1},
     "a",
     -EINVAL},
    {{.verb = WEIR_VERB_OPEN, .unit_bytes = 1, .path_bytes = 1}, "a", -EINVAL},
    {{.verb = WEIR_VERB_OPEN, ID, .flags = 1, .unit_bytes = 1, .count = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_CLOSE, ID, .bytes = UINT64_C(1) << 62}, "", 0},
    {{.verb = WEIR_VERB_CLOSE, ID, .bytes = (UINT64_C(1) << 62) + 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_CLOSE, .object = 7}, "", -EINVAL},
    {{.verb = WEIR_VERB_DROP, .generation = 7}, "", -EINVAL},
    {{.verb = WEIR_VERB_DROP, ID, .offset = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_DROP, ID, .reserved = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_STAT, .path_bytes = WEIR_PATH_BYTES_MAX + 1}, "a", -EINVAL},
    {{.verb = WEIR_VERB_RENAME, .path_bytes = 1, .new_path_bytes = 2}, "abc", 0},
    {{.verb = WEIR_VERB_RENAME, .path_bytes = 1, .new_path_bytes = 3}, "abc", -EINVAL},
    {{.verb = WEIR_VERB_RENAME, .path_bytes = 1}, "a", -EINVAL},
    {{.verb = WEIR_VERB_RENAME, .flags = 8, .path_bytes = 1, .new_path_bytes = 2}, "abc", 0},
    {{.verb = WEIR_VERB_UNLINK, ID}, "", -EINVAL},
    {{.verb = WEIR_VERB_MKDIR, .path_bytes = 1, .new_path_bytes = 1}, "ab", -EINVAL},
    {{.verb = WEIR_VERB_LIST, .bytes = 4000, .cookie = UINT64_MAX}, "", 0},
    {{.verb = WEIR_VERB_LOCK, .path_bytes = 1}, "a", 0},
    {{.verb = WEIR_VERB_LOCK, ID, .path_bytes = 1}, "a", -EINVAL},
    {{.verb = WEIR_VERB_UNLOCK}, "", -EINVAL},
    {{.verb = WEIR_VERB_MAP, ID, .offset = 3 * MIB, .count = 64, .flags = 2}, "", 0},
    {{.verb = WEIR_VERB_MAP, ID, .count = 65}, "", -EINVAL},
    {{.verb = WEIR_VERB_MAP, ID}, "", -EINVAL},
    {{.verb = WEIR_VERB_MAP, ID, .offset = 1, .count = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_MAP, ID, .offset = (UINT64_C(1) << 62), .count = 1}, "", -EINVAL},
    {{.verb = WEIR_VERB_MAP, ID, .offset = UINT64_MAX - MIB + 1, .count = 2}, "", -EINVAL},
    {{.verb = WEIR_VERB_COMMIT, ID}, "", 0},
    {{.verb = WEIR_VERB_COMMIT, ID, .count = 2, .flags = 4, .payload_bytes = 32}, "", 0},
    {{.verb = WEIR_VERB_COMMIT, ID, .count = 2, .payload_bytes = 31}, "", -EINVAL},
    {{.verb = WEIR_VERB_COMMIT, ID, .count = 65, .payload_bytes = 65 * 16}, "", -EINVAL},
    {{.verb = WEIR_VERB_COMMIT, ID, .count = 1u << 28, .payload_bytes = 0}, "", -EINVAL},
    {{.verb = WEIR_VERB_COMMIT, ID, .count = 1, .payload_bytes = 16},
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
     -EINVAL},
    {{.verb = WEIR_VERB_WRITE_PULL, ID, .bytes = 100, .memory = KEY, .address = 1000}, "", 0},
    {{.verb = WEIR_VERB_WRITE_PULL, ID, .bytes = 10, .memory = KEY, .address = 1090}, "", 0},
    {{.verb = WEIR_VERB_READ_PUSH, ID, .bytes = 10, .memory = KEY, .address = 1091}, "", -EINVAL},
    {{.verb = WEIR_VERB_READ_PUSH, ID, .bytes = 10, .memory = KEY, .address = 999}, "", -EINVAL},
    {{.verb = WEIR_VERB_READ_PUSH, ID, .bytes = 101, .memory = KEY, .address = 1000}, "", -EINVAL},
    {{.verb = WEIR_VERB_READ_PUSH, ID, .memory = KEY, .address = 1000}, "", -EINVAL},
    {{.verb = WEIR_VERB_READ_PUSH,
      ID,
      .bytes = 10,
      .memory = {.address = UINT64_MAX - 5, .bytes = 100},
      .address = UINT64_MAX - 5},
     "",
     -EINVAL},
    {{.verb = WEIR_VERB_READ_PUSH,
      ID,
      .bytes = WEIR_PULL_BYTES_MAX + 1,
      .memory = {.bytes = UINT64_C(1) << 40}},
     "",
     -EINVAL},
    {{.verb = WEIR_VERB_READ_PUSH,
      ID,
      .bytes = 10,
      .offset = UINT64_MAX - 5,
      .memory = KEY,
      .address = 1000},
     "",
     -EINVAL},
    {{.verb = WEIR_VERB_WRITE_SEND, ID, .bytes = 3, .payload_bytes = 3}, "abc", 0},
    {{.verb = WEIR_VERB_WRITE_SEND, ID, .bytes = 4, .payload_bytes = 3}, "abc", -EINVAL},
    {{.verb = WEIR_VERB_WRITE_SEND, ID, .bytes = 0, .payload_bytes = 0}, "", -EINVAL},
    {{.verb = WEIR_VERB_WRITE_SEND,
      ID,
      .offset = UINT64_C(1) << 62,
      .bytes = 3,
      .payload_bytes = 3},
     "abc",
     -EINVAL},
    {{.verb = WEIR_VERB_READ_SEND, ID, .bytes = 4}, "", 0},
    {{.verb = WEIR_VERB_READ_SEND, ID, .bytes = 4, .memory = KEY}, "", -EINVAL},
};

static void each_verb_has_its_members_and_no_others(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_parsed_request parsed;
        int code = parse(&cases[i].request, cases[i].tail, &parsed);

        if (code != cases[i].code)
            fail_msg("case %zu (verb %u): %d, not %d", i, cases[i].request.verb, code,
                     cases[i].code);
    }
}

static void lengths_must_add_up_to_the_message(void **state)
{
    struct weir_request request = {.verb = WEIR_VERB_PING, .payload_bytes = 10};
    unsigned char message[sizeof request + 20] = {0};

    memcpy(message, &request, sizeof request);
    for (size_t bytes = 0; bytes <= sizeof message; bytes++) {
        struct weir_parsed_request parsed;
        int expected = bytes < sizeof request         ? -EBADMSG
                       : bytes == sizeof request + 10 ? 0
                                                      : -EINVAL;

        assert_int_equal(weir_request_parse(message, bytes, &parsed), expected);
    }
}

static void parts_are_found_where_they_are(void **state)
{
    struct weir_request request = {
        .verb = WEIR_VERB_RENAME, .id = 99, .path_bytes = 3, .new_path_bytes = 2};
    unsigned char message[sizeof request + 5];
    struct weir_parsed_request parsed;

    memcpy(message, &request, sizeof request);
    memcpy(message + sizeof request, "oldnw", 5);
    assert_int_equal(weir_request_parse(message, sizeof message, &parsed), 0);
    assert_int_equal(parsed.request.id, 99);
    assert_memory_equal(parsed.path, "old", 3);
    assert_memory_equal(parsed.new_path, "nw", 2);
}

static void answers_are_not_believed_either(void **state)
{
    struct weir_answer answer = {.payload_bytes = 4, .status = -ENOSPC}, read;
    unsigned char message[sizeof answer + 4] = {0};
    const unsigned char *payload;

    memcpy(message, &answer, sizeof answer);
    assert_int_equal(weir_answer_parse(message, sizeof message, &read, &payload), 0);
    assert_ptr_equal(payload, message + sizeof answer);
    for (size_t bytes = 0; bytes < sizeof message; bytes++)
        assert_int_equal(weir_answer_parse(message, bytes, &read, &payload), -EBADMSG);
    for (int bad = 0; bad < 2; bad++) {
        answer.status = bad ? 1 : -4096;
        memcpy(message, &answer, sizeof answer);
        assert_int_equal(weir_answer_parse(message, sizeof message, &read, &payload), -EBADMSG);
    }
}

static void random_bytes_are_refused_or_in_order(void **state)
{
    for (uint64_t round = 0; round < 200000; round++) {
        uint64_t words[40];
        struct weir_parsed_request parsed;
        size_t bytes = weir_random_at(1, round) % sizeof words;
        unsigned char *message = malloc(bytes + 1);

        for (unsigned i = 0; i < 40; i++)
            words[i] = weir_random_at(i + 2, round) & weir_random_at(99, round + i) & 0xff;
        memcpy(message, words, bytes);
        if (!weir_request_parse(message, bytes, &parsed)) {
            assert_true(parsed.request.verb && parsed.request.verb < WEIR_VERB_COUNT);
            assert_ptr_equal(parsed.payload + parsed.request.payload_bytes, message + bytes);
        }
        free(message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_verb_has_its_members_and_no_others),
        cmocka_unit_test(lengths_must_add_up_to_the_message),
        cmocka_unit_test(parts_are_found_where_they_are),
        cmocka_unit_test(answers_are_not_believed_either),
        cmocka_unit_test(random_bytes_are_refused_or_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
