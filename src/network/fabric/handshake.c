/* SPDX-License-Identifier: Apache-2.0 */
/* What is said in a handshake, by which end and in which order, and what follows from it. */
#include "handshake.h"

#include "secret.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- saying ---- */

static void say(struct weir_handshake *handshake, const void *message, size_t bytes)
{
    assert(handshake->out_bytes + bytes <= sizeof handshake->out);
    memcpy(handshake->out + handshake->out_bytes, message, bytes);
    handshake->out_bytes += bytes;
}

__attribute__((format(printf, 4, 5))) static void end_with(struct weir_handshake *handshake,
                                                           enum weir_handshake_state state,
                                                           int code, const char *format, ...)
{
    va_list values;

    handshake->state = state;
    handshake->code = code;
    va_start(values, format);
    vsnprintf(handshake->reason, sizeof handshake->reason, format, values);
    va_end(values);
}

static void fail_nonsense(struct weir_handshake *handshake)
{
    end_with(handshake, WEIR_HANDSHAKE_FAILED, -EPROTO, "does not speak weir's protocol");
}

static void end_for_version(struct weir_handshake *handshake, enum weir_handshake_state state,
                            int code, uint32_t version)
{
    end_with(handshake, state, code,
             "speaks version %u of the handshake, and this weir version %u: both need the same "
             "weir",
             version, WEIR_HANDSHAKE_VERSION);
}

static struct weir_handshake_hello make_hello(const struct weir_handshake_params *params)
{
    struct weir_handshake_hello hello = {.version = htole32(WEIR_HANDSHAKE_VERSION)};

    memcpy(hello.magic, WEIR_HANDSHAKE_MAGIC, sizeof hello.magic);
    strncpy(hello.provider, params->provider, sizeof hello.provider - 1);
    memcpy(hello.nonce, params->nonce, sizeof hello.nonce);
    return hello;
}

void weir_handshake_begin(struct weir_handshake *handshake,
                          const struct weir_handshake_params *params)
{
    *handshake = (struct weir_handshake){
        .state = params->is_server ? WEIR_EXPECT_HELLO : WEIR_EXPECT_CHALLENGE,
        .is_server = params->is_server,
        .provider = params->provider,
        .secret = params->secret,
        .ours = {.credits = htole32(params->credits),
                 .message_bytes = htole32(params->message_bytes)},
    };
    if (params->is_server) {
        handshake->challenge = make_hello(params);
    } else {
        handshake->hello = make_hello(params);
        say(handshake, &handshake->hello, sizeof handshake->hello);
    }
}

/* ---- proofs ---- */

static bool prove(struct weir_handshake *handshake, const char *role,
                  unsigned char proof[WEIR_PROOF_BYTES])
{
    if (weir_secret_prove(handshake->secret, role, &handshake->hello, sizeof handshake->hello,
                          &handshake->challenge, sizeof handshake->challenge, proof) == 0)
        return true;
    end_with(handshake, WEIR_HANDSHAKE_FAILED, -EIO,
             "cannot be answered: libcrypto has no HMAC-SHA256");
    return false;
}

static bool is_proven(struct weir_handshake *handshake, const char *role,
                      const unsigned char proof[WEIR_PROOF_BYTES])
{
    unsigned char expected[WEIR_PROOF_BYTES];

    return prove(handshake, role, expected) && weir_secret_equal(expected, proof, sizeof expected);
}

/* ---- hearing: the server ---- */

static void take_hello(struct weir_handshake *handshake, const struct weir_handshake_hello *hello)
{
    uint32_t version = le32toh(hello->version), status = WEIR_HANDSHAKE_OK;

    handshake->hello = *hello;
    handshake->state = WEIR_EXPECT_PROOF;
    if (version != WEIR_HANDSHAKE_VERSION) {
        status = WEIR_HANDSHAKE_OTHER_VERSION;
        end_for_version(handshake, WEIR_HANDSHAKE_REFUSED, -EPROTO, version);
    } else if (strncmp(hello->provider, handshake->provider, sizeof hello->provider) != 0) {
        status = WEIR_HANDSHAKE_OTHER_PROVIDER;
        end_with(handshake, WEIR_HANDSHAKE_REFUSED, -EPROTO,
                 "comes with the provider %.16s, and this end has %s: both need the same",
                 hello->provider, handshake->provider);
    }
    handshake->challenge.status = htole32(status);
    say(handshake, &handshake->challenge, sizeof handshake->challenge);
}

static void take_proof(struct weir_handshake *handshake, const struct weir_handshake_proof *proof)
{
    struct weir_handshake_proof answer = {.status = htole32(WEIR_HANDSHAKE_WRONG_SECRET)};

    handshake->state = WEIR_EXPECT_ENDPOINT;
    if (is_proven(handshake, "client", proof->proof)) {
        answer.status = htole32(WEIR_HANDSHAKE_OK);
        if (!prove(handshake, "server", answer.proof))
            return;
    } else if (handshake->state == WEIR_EXPECT_ENDPOINT) {
        end_with(handshake, WEIR_HANDSHAKE_REFUSED, -EACCES, "does not know the secret");
    } else {
        return;
    }
    say(handshake, &answer, sizeof answer);
}

static void take_ready(struct weir_handshake *handshake, const struct weir_handshake_ready *ready)
{
    handshake->state = WEIR_HANDSHAKE_DONE;
    if (le32toh(ready->status) != WEIR_HANDSHAKE_OK)
        fail_nonsense(handshake);
}

/* ---- hearing: the client ---- */

static void take_challenge(struct weir_handshake *handshake,
                           const struct weir_handshake_hello *challenge)
{
    uint32_t version = le32toh(challenge->version), status = le32toh(challenge->status);
    struct weir_handshake_proof proof = {0};

    if (version != WEIR_HANDSHAKE_VERSION) {
        end_for_version(handshake, WEIR_HANDSHAKE_FAILED, -EPROTONOSUPPORT, version);
    } else if (status == WEIR_HANDSHAKE_OTHER_PROVIDER) {
        end_with(handshake, WEIR_HANDSHAKE_FAILED, -EPROTOTYPE,
                 "has the provider %.15s, and this end %s: both need the same", challenge->provider,
                 handshake->provider);
    } else if (status != WEIR_HANDSHAKE_OK) {
        end_with(handshake, WEIR_HANDSHAKE_FAILED, -ECONNREFUSED, "does not let us in");
    } else {
        handshake->challenge = *challenge;
        handshake->state = WEIR_EXPECT_ANSWER;
        if (prove(handshake, "client", proof.proof))
            say(handshake, &proof, sizeof proof);
    }
}

static void take_answer(struct weir_handshake *handshake, const struct weir_handshake_proof *answer)
{
    uint32_t status = le32toh(answer->status);

    handshake->state = WEIR_EXPECT_ENDPOINT;
    if (status == WEIR_HANDSHAKE_WRONG_SECRET)
        end_with(handshake, WEIR_HANDSHAKE_FAILED, -EACCES, "says that our secret is not its own");
    else if (status != WEIR_HANDSHAKE_OK || !is_proven(handshake, "server", answer->proof))
        end_with(handshake, WEIR_HANDSHAKE_FAILED, -EACCES, "does not know the secret");
    else
        say(handshake, &handshake->ours, sizeof handshake->ours);
}

/* ---- hearing: both ---- */

static void take_endpoint(struct weir_handshake *handshake,
                          const struct weir_handshake_endpoint *endpoint)
{
    struct weir_handshake_endpoint *theirs = &handshake->theirs;

    *theirs = *endpoint;
    theirs->credits = le32toh(endpoint->credits);
    theirs->message_bytes = le32toh(endpoint->message_bytes);
    theirs->greeting_bytes = le32toh(endpoint->greeting_bytes);
    handshake->state = WEIR_HANDSHAKE_OFFERED;
    if (le32toh(endpoint->status) != WEIR_HANDSHAKE_OK)
        end_with(handshake, WEIR_HANDSHAKE_FAILED, -ECONNREFUSED,
                 "cannot make the link: its own log says why");
    else if (theirs->greeting_bytes > WEIR_GREETING_BYTES ||
             theirs->credits - 1 >= WEIR_CREDITS_MAX ||
             theirs->message_bytes - 1 >= WEIR_MESSAGE_BYTES_MAX)
        end_with(handshake, WEIR_HANDSHAKE_FAILED, -EPROTO, "sends an endpoint without sense");
}

void weir_handshake_accept(struct weir_handshake *handshake, const struct weir_endpoint_info *info)
{
    struct weir_handshake_ready ready = {.status = htole32(WEIR_HANDSHAKE_OK)};

    assert(handshake->state == WEIR_HANDSHAKE_OFFERED);
    if (handshake->is_server) {
        handshake->ours.info = *info;
        handshake->state = WEIR_EXPECT_READY;
        say(handshake, &handshake->ours, sizeof handshake->ours);
    } else {
        handshake->state = WEIR_HANDSHAKE_DONE;
        say(handshake, &ready, sizeof ready);
    }
}

void weir_handshake_reject(struct weir_handshake *handshake, int code)
{
    struct weir_handshake_endpoint nothing = {.status = htole32(WEIR_HANDSHAKE_CANNOT)};

    assert(handshake->state == WEIR_HANDSHAKE_OFFERED);
    if (handshake->is_server)
        say(handshake, &nothing, sizeof nothing);
    end_with(handshake, handshake->is_server ? WEIR_HANDSHAKE_REFUSED : WEIR_HANDSHAKE_FAILED, code,
             "cannot be linked with: %s", strerror(-code));
}

/* ---- bytes ---- */

size_t weir_handshake_wants(const struct weir_handshake *handshake)
{
    switch (handshake->state) {
    case WEIR_EXPECT_HELLO:
    case WEIR_EXPECT_CHALLENGE:
        return sizeof(struct weir_handshake_hello) - handshake->in_bytes;
    case WEIR_EXPECT_PROOF:
    case WEIR_EXPECT_ANSWER:
        return sizeof(struct weir_handshake_proof) - handshake->in_bytes;
    case WEIR_EXPECT_ENDPOINT:
        return sizeof(struct weir_handshake_endpoint) - handshake->in_bytes;
    case WEIR_EXPECT_READY:
        return sizeof(struct weir_handshake_ready) - handshake->in_bytes;
    case WEIR_HANDSHAKE_OFFERED:
    case WEIR_HANDSHAKE_DONE:
    case WEIR_HANDSHAKE_REFUSED:
    case WEIR_HANDSHAKE_FAILED:
        return 0;
    }
    return 0;
}

static void take_message(struct weir_handshake *handshake)
{
    const union weir_handshake_message *in = &handshake->in;

    handshake->in_bytes = 0;
    if (handshake->state == WEIR_EXPECT_HELLO)
        take_hello(handshake, &in->hello);
    else if (handshake->state == WEIR_EXPECT_CHALLENGE)
        take_challenge(handshake, &in->challenge);
    else if (handshake->state == WEIR_EXPECT_PROOF)
        take_proof(handshake, &in->proof);
    else if (handshake->state == WEIR_EXPECT_ANSWER)
        take_answer(handshake, &in->answer);
    else if (handshake->state == WEIR_EXPECT_ENDPOINT)
        take_endpoint(handshake, &in->endpoint);
    else
        take_ready(handshake, &in->ready);
}

/* Whatever is no hello is known by its first bytes: a peer that sends fewer than a whole one is not
 * waited for. */
static bool is_garbage(const struct weir_handshake *handshake)
{
    size_t known = handshake->in_bytes < 8 ? handshake->in_bytes : 8;

    return (handshake->state == WEIR_EXPECT_HELLO || handshake->state == WEIR_EXPECT_CHALLENGE) &&
           memcmp(&handshake->in, WEIR_HANDSHAKE_MAGIC, known) != 0;
}

size_t weir_handshake_take(struct weir_handshake *handshake, const void *bytes, size_t count)
{
    size_t wanted = weir_handshake_wants(handshake);

    if (count > wanted)
        count = wanted;
    if (count == 0)
        return 0;
    memcpy((unsigned char *)&handshake->in + handshake->in_bytes, bytes, count);
    handshake->in_bytes += count;
    if (is_garbage(handshake))
        fail_nonsense(handshake);
    else if (count == wanted)
        take_message(handshake);
    return count;
}

bool weir_handshake_is_unproven(const struct weir_handshake *handshake)
{
    return handshake->is_server &&
           (handshake->state == WEIR_EXPECT_HELLO || handshake->state == WEIR_EXPECT_PROOF ||
            handshake->state == WEIR_HANDSHAKE_REFUSED);
}
