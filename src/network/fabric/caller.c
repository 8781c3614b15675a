/* SPDX-License-Identifier: Apache-2.0 */
/* What is said at the door, by whom and in which order, and what follows from it. */
#include "caller.h"

#include "secret.h"

#include "weir/base/log.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of what nobody wants to hear, so much at a time: who was refused and goes on talking holds up
 * nobody. Epoll says so again. */
#define READS_MAX 64

/* ---- sending ---- */

static void watch(struct weir_caller *caller)
{
    bool is_full = caller->out_sent < caller->out_bytes;
    int failure = weir_fabric_watch_door(weir_caller_fabric(caller), caller->fd, caller,
                                         (caller->is_deaf ? 0 : EPOLLIN) | EPOLLRDHUP |
                                             (is_full ? EPOLLOUT : 0));

    if (failure)
        weir_caller_fail(caller, failure, NULL);
}

/* Sends what it can. A full socket is watched until there is room. */
static void flush(struct weir_caller *caller)
{
    bool was_full = caller->out_sent > 0;

    while (caller->out_sent < caller->out_bytes) {
        ssize_t sent = send(caller->fd, caller->out + caller->out_sent,
                            caller->out_bytes - caller->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            watch(caller);
            return;
        }
        if (sent < 0) {
            weir_caller_fail(caller, -errno, NULL);
            return;
        }
        caller->out_sent += (size_t)sent;
    }
    caller->out_bytes = 0;
    caller->out_sent = 0;
    if (was_full)
        watch(caller);
}

static void say(struct weir_caller *caller, const void *text, size_t bytes)
{
    assert(caller->out_bytes + bytes <= sizeof caller->out);
    memcpy(caller->out + caller->out_bytes, text, bytes);
    caller->out_bytes += bytes;
    flush(caller);
}

/* ---- proofs ---- */

static int prove(const struct weir_caller *caller, const char *role,
                 unsigned char proof[WEIR_PROOF_BYTES])
{
    return weir_secret_prove(weir_caller_fabric(caller)->secret, role, &caller->hello,
                             sizeof caller->hello, &caller->challenge, sizeof caller->challenge,
                             proof);
}

static bool is_proven(const struct weir_caller *caller, const char *role,
                      const unsigned char proof[WEIR_PROOF_BYTES])
{
    unsigned char expected[WEIR_PROOF_BYTES];

    return prove(caller, role, expected) == 0 &&
           weir_secret_equal(expected, proof, sizeof expected);
}

/* ---- the link ---- */

static void say_card(struct weir_caller *caller, uint32_t verdict)
{
    const struct weir_fabric_params *params = &weir_caller_fabric(caller)->params;
    struct weir_door_card card = {
        .verdict = htole32(verdict),
        .credits = htole32(params->message_credits),
        .message_bytes = htole32(params->message_bytes),
    };

    if (verdict == WEIR_DOOR_WELCOME)
        card.card = caller->card;
    if (!caller->is_incoming) {
        card.greeting_bytes = htole32(caller->greeting_bytes);
        memcpy(card.greeting, caller->greeting, sizeof card.greeting);
    }
    say(caller, &card, sizeof card);
}

/* The provider has done its part: READY goes, or has come. */
void weir_caller_proceed(struct weir_caller *caller)
{
    struct weir_door_ready ready = {.verdict = htole32(WEIR_DOOR_WELCOME)};

    if (!caller->is_joined)
        return;
    if (caller->state == CALLER_JOINING) {
        say(caller, &ready, sizeof ready);
        /* All that was said before was answered, so these few bytes have room. */
        if (caller->state == CALLER_JOINING && caller->out_bytes > 0)
            weir_caller_fail(caller, -ENOBUFS, NULL);
        if (caller->state == CALLER_JOINING)
            weir_caller_arrive(caller);
    } else if (caller->state == CALLER_READY && caller->is_ready) {
        weir_caller_arrive(caller);
    }
}

static void refuse_link(struct weir_caller *caller, int code)
{
    char reason[128];

    snprintf(reason, sizeof reason, "cannot be linked with: %s", strerror(-code));
    say_card(caller, WEIR_DOOR_CANNOT);
    if (caller->state != CALLER_GONE)
        weir_caller_refuse(caller, code, reason);
}

static void join(struct weir_caller *caller, const struct weir_door_card *card)
{
    struct weir_fabric *fabric = weir_caller_fabric(caller);
    struct weir_link *link = caller->link;
    int failure;

    link->peer_credits = le32toh(card->credits);
    link->peer_message_bytes = le32toh(card->message_bytes);
    failure = fabric->provider->link_join(link, &card->card);
    if (link->state == WEIR_LINK_LOST)
        return;
    if (failure == 0)
        caller->is_joined = true;
    if (failure && failure != -EINPROGRESS) {
        if (caller->is_incoming)
            refuse_link(caller, failure);
        else
            weir_caller_fail(caller, failure, "cannot be linked with");
        return;
    }
    if (caller->is_incoming)
        say_card(caller, WEIR_DOOR_WELCOME);
    if (caller->state == CALLER_CARD) {
        caller->state = caller->is_incoming ? CALLER_READY : CALLER_JOINING;
        if (caller->is_incoming)
            weir_caller_expect(caller);
        weir_caller_proceed(caller);
    }
}

static void take_card(struct weir_caller *caller, const struct weir_door_card *card)
{
    struct weir_fabric *fabric = weir_caller_fabric(caller);
    uint32_t greeting_bytes = le32toh(card->greeting_bytes);
    int failure;

    if (le32toh(card->verdict) != WEIR_DOOR_WELCOME) {
        weir_caller_fail(caller, -ECONNREFUSED, "cannot make the link: its own log says why");
        return;
    }
    if (greeting_bytes > WEIR_GREETING_BYTES ||
        le32toh(card->credits) - 1 >= WEIR_DOOR_CREDITS_MAX ||
        le32toh(card->message_bytes) - 1 >= WEIR_DOOR_MESSAGE_BYTES_MAX) {
        weir_caller_fail(caller, -EPROTO, "sends a card that makes no sense");
        return;
    }
    if (caller->is_incoming) {
        memcpy(caller->greeting, card->greeting, sizeof caller->greeting);
        caller->greeting_bytes = greeting_bytes;
        failure = fabric->provider->link_open(fabric, true, &caller->link, &caller->card);
        if (failure) {
            caller->link = NULL;
            refuse_link(caller, failure);
            return;
        }
        weir_fabric_add_link(fabric, caller->link);
        caller->link->is_incoming = true;
        caller->link->caller = caller;
        snprintf(caller->link->peer, sizeof caller->link->peer, "%s", caller->name);
    }
    join(caller, card);
}

/* A further socket of a link: it is the provider's now. */
static void give_stream(struct weir_caller *caller)
{
    struct weir_fabric *fabric = weir_caller_fabric(caller);
    int fd = caller->fd;
    int failure = -EPROTONOSUPPORT;

    weir_fabric_unwatch(fabric, fd);
    if (fabric->provider->stream_join != NULL)
        failure = fabric->provider->stream_join(fabric, caller->link, &caller->stream, fd);
    if (failure) {
        weir_caller_fail(caller, failure, "brings a stream that belongs to no link");
        return;
    }
    caller->fd = -1;
    weir_caller_leave(caller);
}

/* ---- what the peer says ---- */

static void take_hello(struct weir_caller *caller, const struct weir_door_hello *hello)
{
    struct weir_fabric *fabric = weir_caller_fabric(caller);
    struct weir_door_challenge *challenge = &caller->challenge;
    uint32_t verdict = WEIR_DOOR_WELCOME;
    char reason[128];

    if (memcmp(hello->magic, WEIR_DOOR_MAGIC, sizeof hello->magic) != 0) {
        weir_caller_fail(caller, -EPROTO, "does not speak weir's language");
        return;
    }
    caller->hello = *hello;
    caller->kind = le32toh(hello->kind);
    memcpy(caller->stream.token, hello->token, sizeof caller->stream.token);
    caller->stream.index = le32toh(hello->index);
    if (le32toh(hello->version) != WEIR_DOOR_VERSION) {
        verdict = WEIR_DOOR_OTHER_VERSION;
        snprintf(reason, sizeof reason,
                 "speaks version %u of the door, and this weir version %u: both need the same weir",
                 le32toh(hello->version), WEIR_DOOR_VERSION);
    } else if (strncmp(hello->provider, fabric->provider->name, sizeof hello->provider) != 0) {
        verdict = WEIR_DOOR_OTHER_PROVIDER;
        snprintf(reason, sizeof reason,
                 "comes with the provider %.16s, and this end has %s: both need the same",
                 hello->provider, fabric->provider->name);
    }
    if (verdict == WEIR_DOOR_WELCOME && caller->kind != WEIR_DOOR_LINK &&
        caller->kind != WEIR_DOOR_STREAM) {
        weir_caller_fail(caller, -EPROTO, "does not speak weir's language");
        return;
    }
    *challenge = (struct weir_door_challenge){.version = htole32(WEIR_DOOR_VERSION),
                                              .verdict = htole32(verdict)};
    memcpy(challenge->magic, WEIR_DOOR_MAGIC, sizeof challenge->magic);
    strncpy(challenge->provider, fabric->provider->name, sizeof challenge->provider - 1);
    if (weir_secret_random(challenge->nonce, sizeof challenge->nonce) != 0) {
        weir_caller_fail(caller, -EIO, "cannot be asked: no random numbers");
        return;
    }
    say(caller, challenge, sizeof *challenge);
    if (caller->state == CALLER_GONE)
        return;
    if (verdict != WEIR_DOOR_WELCOME)
        weir_caller_refuse(caller, -EPROTO, reason);
    else
        caller->state = CALLER_PROOF;
}

static void take_challenge(struct weir_caller *caller, const struct weir_door_challenge *challenge)
{
    struct weir_door_proof proof;
    char reason[128];

    if (memcmp(challenge->magic, WEIR_DOOR_MAGIC, sizeof challenge->magic) != 0) {
        weir_caller_fail(caller, -EPROTO, "does not speak weir's language");
        return;
    }
    if (le32toh(challenge->version) != WEIR_DOOR_VERSION) {
        snprintf(reason, sizeof reason,
                 "speaks version %u of the door, and this weir version %u: both need the same weir",
                 le32toh(challenge->version), WEIR_DOOR_VERSION);
        weir_caller_fail(caller, -EPROTONOSUPPORT, reason);
        return;
    }
    if (le32toh(challenge->verdict) == WEIR_DOOR_OTHER_PROVIDER) {
        snprintf(reason, sizeof reason,
                 "has the provider %.15s, and this end %s: both need the same", challenge->provider,
                 weir_caller_fabric(caller)->provider->name);
        weir_caller_fail(caller, -EPROTOTYPE, reason);
        return;
    }
    if (le32toh(challenge->verdict) != WEIR_DOOR_WELCOME) {
        weir_caller_fail(caller, -ECONNREFUSED, "does not let us in");
        return;
    }
    caller->challenge = *challenge;
    if (prove(caller, "client", proof.proof) != 0) {
        weir_caller_fail(caller, -EIO, "cannot be answered: libcrypto has no HMAC-SHA256");
        return;
    }
    caller->state = CALLER_ANSWER;
    say(caller, &proof, sizeof proof);
}

static void take_proof(struct weir_caller *caller, const struct weir_door_proof *proof)
{
    struct weir_door_answer answer = {.verdict = htole32(WEIR_DOOR_WRONG_SECRET)};
    bool is_right = is_proven(caller, "client", proof->proof);

    if (is_right) {
        answer.verdict = htole32(WEIR_DOOR_WELCOME);
        if (prove(caller, "server", answer.proof) != 0) {
            weir_caller_fail(caller, -EIO, "cannot be answered: libcrypto has no HMAC-SHA256");
            return;
        }
    }
    caller->state = CALLER_CARD;
    say(caller, &answer, sizeof answer);
    if (caller->state == CALLER_GONE)
        return;
    if (!is_right)
        weir_caller_refuse(caller, -EACCES, "does not know the secret");
    else if (caller->kind == WEIR_DOOR_STREAM)
        give_stream(caller);
}

static void take_answer(struct weir_caller *caller, const struct weir_door_answer *answer)
{
    if (le32toh(answer->verdict) == WEIR_DOOR_WRONG_SECRET) {
        weir_caller_fail(caller, -EACCES, "says that our secret is not its own");
        return;
    }
    if (le32toh(answer->verdict) != WEIR_DOOR_WELCOME ||
        !is_proven(caller, "server", answer->proof)) {
        weir_caller_fail(caller, -EACCES, "does not know the secret");
        return;
    }
    caller->state = CALLER_CARD;
    if (caller->kind == WEIR_DOOR_STREAM)
        give_stream(caller);
    else
        say_card(caller, WEIR_DOOR_WELCOME);
}

static void take_ready(struct weir_caller *caller, const struct weir_door_ready *ready)
{
    if (caller->is_ready || le32toh(ready->verdict) != WEIR_DOOR_WELCOME) {
        weir_caller_fail(caller, -EPROTO, "does not speak weir's language");
        return;
    }
    caller->is_ready = true;
    weir_caller_proceed(caller);
}

/* ---- receiving ---- */

/* How many bytes what comes next has; 0: nothing is to come. */
static size_t expected_bytes(const struct weir_caller *caller)
{
    switch (caller->state) {
    case CALLER_HELLO:
        return sizeof caller->in.hello;
    case CALLER_CHALLENGE:
        return sizeof caller->in.challenge;
    case CALLER_PROOF:
        return sizeof caller->in.proof;
    case CALLER_ANSWER:
        return sizeof caller->in.answer;
    case CALLER_CARD:
        return sizeof caller->in.card;
    case CALLER_READY:
        return caller->is_ready ? 0 : sizeof caller->in.ready;
    case CALLER_CONNECTING:
    case CALLER_JOINING:
    case CALLER_REFUSED:
    case CALLER_UP:
    case CALLER_GONE:
        return 0;
    }
    return 0;
}

static void take(struct weir_caller *caller)
{
    union weir_door_text in = caller->in;

    caller->in_bytes = 0;
    if (caller->state == CALLER_HELLO)
        take_hello(caller, &in.hello);
    else if (caller->state == CALLER_CHALLENGE)
        take_challenge(caller, &in.challenge);
    else if (caller->state == CALLER_PROOF)
        take_proof(caller, &in.proof);
    else if (caller->state == CALLER_ANSWER)
        take_answer(caller, &in.answer);
    else if (caller->state == CALLER_CARD)
        take_card(caller, &in.card);
    else
        take_ready(caller, &in.ready);
}

static void hear(struct weir_caller *caller)
{
    size_t bytes;

    while ((bytes = expected_bytes(caller)) > 0 && caller->fd >= 0) {
        ssize_t got = recv(caller->fd, (unsigned char *)&caller->in + caller->in_bytes,
                           bytes - caller->in_bytes, MSG_DONTWAIT);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            weir_caller_fail(caller, got < 0 ? -errno : -ECONNRESET,
                             caller->is_incoming ? "leaves in the middle of a sentence" : NULL);
            return;
        }
        caller->in_bytes += (size_t)got;
        /* Garbage is known by its first bytes: whoever sends fewer is not waited for. */
        if (caller->state == CALLER_HELLO &&
            memcmp(&caller->in, WEIR_DOOR_MAGIC, caller->in_bytes < 8 ? caller->in_bytes : 8) !=
                0) {
            weir_caller_fail(caller, -EPROTO, "does not speak weir's language");
            return;
        }
        if (caller->in_bytes == bytes)
            take(caller);
    }
}

/* ---- connecting ---- */

static int set_hello(struct weir_caller *caller)
{
    struct weir_door_hello *hello = &caller->hello;

    *hello = (struct weir_door_hello){.version = htole32(WEIR_DOOR_VERSION),
                                      .kind = htole32(caller->kind),
                                      .index = htole32(caller->stream.index)};
    memcpy(hello->magic, WEIR_DOOR_MAGIC, sizeof hello->magic);
    strncpy(hello->provider, weir_caller_fabric(caller)->provider->name,
            sizeof hello->provider - 1);
    memcpy(hello->token, caller->stream.token, sizeof hello->token);
    return weir_secret_random(hello->nonce, sizeof hello->nonce);
}

static int connect_place(struct weir_caller *caller, const struct addrinfo *place)
{
    int fd = socket(place->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    int failure;

    if (fd < 0)
        return -errno;
    if (connect(fd, place->ai_addr, place->ai_addrlen) != 0 && errno != EINPROGRESS) {
        failure = -errno;
        close(fd);
        return failure;
    }
    failure = weir_fabric_watch_door(weir_caller_fabric(caller), fd, caller, EPOLLOUT);
    if (failure) {
        close(fd);
        return failure;
    }
    caller->fd = fd;
    caller->state = CALLER_CONNECTING;
    return 0;
}

int weir_caller_connect(struct weir_caller *caller)
{
    int failure = -EADDRNOTAVAIL;

    if (caller->fd >= 0) {
        weir_fabric_unwatch(weir_caller_fabric(caller), caller->fd);
        close(caller->fd);
    }
    caller->fd = -1;
    while (caller->next_place != NULL) {
        const struct addrinfo *place = caller->next_place;

        caller->next_place = place->ai_next;
        failure = connect_place(caller, place);
        if (!failure)
            return 0;
    }
    return failure;
}

static void begin(struct weir_caller *caller)
{
    socklen_t bytes = sizeof(int);
    int code = 0;
    int failure;

    if (getsockopt(caller->fd, SOL_SOCKET, SO_ERROR, &code, &bytes) != 0)
        code = errno;
    if (code != 0) {
        failure = caller->next_place == NULL ? -code : weir_caller_connect(caller);
        if (failure)
            weir_caller_fail(caller, failure, NULL);
        return;
    }
    failure = set_hello(caller);
    if (failure) {
        weir_caller_fail(caller, failure, NULL);
        return;
    }
    caller->state = CALLER_CHALLENGE;
    watch(caller);
    if (caller->state == CALLER_CHALLENGE)
        say(caller, &caller->hello, sizeof caller->hello);
}

/* The socket of a link that is up, for providers that leave it here; or of somebody who was
 * refused.
 */
static void listen_for_end(struct weir_caller *caller)
{
    unsigned char nothing[256];
    unsigned reads = 0;
    ssize_t got;

    do {
        got = recv(caller->fd, nothing, sizeof nothing, MSG_DONTWAIT);
    } while ((got > 0 && ++reads < READS_MAX) || (got < 0 && errno == EINTR));
    if (got == 0 || (got < 0 && errno != EAGAIN))
        weir_caller_fail(caller, got == 0 ? -ECONNRESET : -errno, NULL);
}

void weir_caller_woken(struct weir_caller *caller, uint32_t events)
{
    if (caller->state == CALLER_GONE || caller->fd < 0)
        return;
    if (caller->link != NULL && caller->link->state == WEIR_LINK_LOST)
        return;
    if (caller->state == CALLER_CONNECTING) {
        begin(caller);
        return;
    }
    if (events & EPOLLOUT && caller->out_bytes > 0)
        flush(caller);
    if (caller->state == CALLER_UP || caller->state == CALLER_REFUSED)
        listen_for_end(caller);
    else if (caller->state != CALLER_GONE)
        hear(caller);
    if (caller->state == CALLER_GONE || caller->fd < 0 || expected_bytes(caller) > 0 ||
        caller->state == CALLER_UP || caller->state == CALLER_REFUSED)
        return;
    /* The provider is not done yet. The peer must still be there; data behind its READY wait in
     * the socket, and are not to wake poll until the link is up. */
    if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) {
        weir_caller_fail(caller, -ECONNRESET, NULL);
    } else if (events & EPOLLIN && !caller->is_deaf) {
        caller->is_deaf = true;
        watch(caller);
    }
}
