/* SPDX-License-Identifier: Apache-2.0 */
/* The handshake as a function of bytes: both ends in one process, without a socket. */
#include "network/fabric/handshake.h"

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const unsigned char secret[WEIR_SECRET_BYTES] = "what only friends know";
static const unsigned char nonces[2][WEIR_NONCE_BYTES] = {"first", "second"};

struct couple {
    struct weir_handshake client, server;
};

static void begin(struct couple *couple)
{
    struct weir_handshake_params params = {.provider = "tcp",
                                           .secret = secret,
                                           .nonce = nonces[0],
                                           .credits = 8,
                                           .message_bytes = 4096};

    weir_handshake_begin(&couple->client, &params);
    params.is_server = true;
    params.nonce = nonces[1];
    weir_handshake_begin(&couple->server, &params);
    memcpy(couple->client.ours.info.bytes, "client's", 8);
    memcpy(couple->client.ours.greeting, "hello", 5);
    couple->client.ours.greeting_bytes = htole32(5);
}

/* Moves what one end has to say to the other, `step` bytes at a time. Whether there was anything.
 */
static bool carry(struct weir_handshake *from, struct weir_handshake *to, size_t step)
{
    bool has_moved = false;

    while (from->out_sent < from->out_bytes && weir_handshake_wants(to) > 0) {
        size_t left = from->out_bytes - from->out_sent;
        size_t taken =
            weir_handshake_take(to, from->out + from->out_sent, left < step ? left : step);

        assert_true(taken > 0);
        from->out_sent += taken;
        has_moved = true;
    }
    if (from->out_sent == from->out_bytes)
        from->out_sent = from->out_bytes = 0;
    return has_moved;
}

/* Until neither end has anything to say; a provider that has no doubts links them. */
static void talk(struct couple *couple, size_t step)
{
    struct weir_endpoint_info info = {.bytes = "server's"};

    while (carry(&couple->client, &couple->server, step) ||
           carry(&couple->server, &couple->client, step)) {
        if (couple->server.state == WEIR_HANDSHAKE_OFFERED)
            weir_handshake_accept(&couple->server, &info);
        if (couple->client.state == WEIR_HANDSHAKE_OFFERED)
            weir_handshake_accept(&couple->client, &info);
    }
}

static void both_ends_learn_what_the_other_has_said(void **state)
{
    static const size_t steps[] = {1, 7, 1 << 20};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct couple couple;

        begin(&couple);
        talk(&couple, steps[i]);
        assert_int_equal(couple.client.state, WEIR_HANDSHAKE_DONE);
        assert_int_equal(couple.server.state, WEIR_HANDSHAKE_DONE);
        assert_int_equal(couple.server.theirs.credits, 8);
        assert_int_equal(couple.server.theirs.message_bytes, 4096);
        assert_memory_equal(couple.server.theirs.info.bytes, "client's", 8);
        assert_memory_equal(couple.server.theirs.greeting, "hello", 5);
        assert_int_equal(couple.server.theirs.greeting_bytes, 5);
        assert_memory_equal(couple.client.theirs.info.bytes, "server's", 8);
        assert_int_equal(weir_handshake_wants(&couple.server), 0);
    }
}

/* Each bit of what is said is covered by a proof, a comparison or a check of its range, but for
 * credits, greetings and the like, which anybody who knows the secret may choose. */
static void a_changed_bit_before_the_proofs_ends_the_handshake(void **state)
{
    const size_t bits = 8 * sizeof(struct weir_handshake_hello);

    for (size_t bit = 0; bit < 2 * bits; bit++) {
        struct couple couple;

        begin(&couple);
        if (bit >= bits)
            carry(&couple.client, &couple.server, SIZE_MAX);
        (bit < bits ? couple.client.out : couple.server.out)[bit % bits / 8] ^=
            (unsigned char)(1 << bit % 8);
        talk(&couple, SIZE_MAX);
        if (couple.client.state == WEIR_HANDSHAKE_DONE ||
            couple.server.state == WEIR_HANDSHAKE_DONE)
            fail_msg("bit %zu of %s", bit % bits, bit < bits ? "HELLO" : "CHALLENGE");
        assert_int_not_equal(couple.server.state, WEIR_HANDSHAKE_OFFERED);
        /* Nothing of the server's end is told. */
        assert_int_not_equal(couple.client.state, WEIR_HANDSHAKE_OFFERED);
    }
}

static void an_end_without_the_secret_gets_no_proof(void **state)
{
    static const unsigned char other[WEIR_SECRET_BYTES] = "what others know";
    struct couple couple;

    begin(&couple);
    couple.client.secret = other;
    carry(&couple.client, &couple.server, SIZE_MAX);
    carry(&couple.server, &couple.client, SIZE_MAX);
    carry(&couple.client, &couple.server, SIZE_MAX);
    assert_int_equal(couple.server.state, WEIR_HANDSHAKE_REFUSED);
    assert_int_equal(couple.server.code, -EACCES);
    assert_true(weir_handshake_is_unproven(&couple.server));
    for (size_t i = 0; i < WEIR_PROOF_BYTES; i++)
        assert_int_equal(couple.server.out[offsetof(struct weir_handshake_proof, proof) + i], 0);
    carry(&couple.server, &couple.client, SIZE_MAX);
    assert_int_equal(couple.client.state, WEIR_HANDSHAKE_FAILED);
    assert_int_equal(couple.client.code, -EACCES);
}

static void a_link_that_cannot_be_made_is_told_to_the_client(void **state)
{
    struct couple couple;

    begin(&couple);
    while (couple.server.state != WEIR_HANDSHAKE_OFFERED) {
        carry(&couple.client, &couple.server, SIZE_MAX);
        carry(&couple.server, &couple.client, SIZE_MAX);
    }
    weir_handshake_reject(&couple.server, -ENOMEM);
    assert_int_equal(couple.server.state, WEIR_HANDSHAKE_REFUSED);
    assert_non_null(strstr(couple.server.reason, strerror(ENOMEM)));
    carry(&couple.server, &couple.client, SIZE_MAX);
    assert_int_equal(couple.client.state, WEIR_HANDSHAKE_FAILED);
    assert_int_equal(couple.client.code, -ECONNREFUSED);
}

static void endpoints_without_sense_are_no_endpoints(void **state)
{
    static const struct weir_handshake_endpoint wrong[] = {
        {.credits = 0, .message_bytes = 4096},
        {.credits = WEIR_CREDITS_MAX + 1, .message_bytes = 4096},
        {.credits = 1, .message_bytes = 0},
        {.credits = 1, .message_bytes = WEIR_MESSAGE_BYTES_MAX + 1},
        {.credits = 1, .message_bytes = 1, .greeting_bytes = WEIR_GREETING_BYTES + 1},
        {.credits = 1, .message_bytes = 1, .status = WEIR_HANDSHAKE_CANNOT},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct couple couple;

        begin(&couple);
        couple.client.ours = wrong[i];
        talk(&couple, SIZE_MAX);
        assert_int_equal(couple.server.state, WEIR_HANDSHAKE_FAILED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_learn_what_the_other_has_said),
        cmocka_unit_test(a_changed_bit_before_the_proofs_ends_the_handshake),
        cmocka_unit_test(an_end_without_the_secret_gets_no_proof),
        cmocka_unit_test(a_link_that_cannot_be_made_is_told_to_the_client),
        cmocka_unit_test(endpoints_without_sense_are_no_endpoints),
    };

    return cmocka_run_group_tests_name("handshake", tests, NULL, NULL);
}
