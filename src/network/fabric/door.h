/* SPDX-License-Identifier: Apache-2.0 */
/* The door: sockets through which links come in and go out, who must prove the secret before
 * anything else is told. One TCP connection per link, which stays open as long as the link does. */
#ifndef WEIR_NETWORK_FABRIC_DOOR_H
#define WEIR_NETWORK_FABRIC_DOOR_H

#include "provider.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* What goes over a new connection, in this order; all of fixed size, numbers little-endian. The
 * connecting end says HELLO, PROOF, CARD and READY, the other CHALLENGE, ANSWER and CARD. */
#define WEIR_DOOR_MAGIC "weirdoor"
#define WEIR_DOOR_VERSION 1u
#define WEIR_NONCE_BYTES 32
#define WEIR_PROOF_BYTES 32

/* More than any provider's default by orders of magnitude: a card that says more is not believed,
 * and no fabric is opened that would send one. */
#define WEIR_DOOR_CREDITS_MAX 65536
#define WEIR_DOOR_MESSAGE_BYTES_MAX (16 << 20)

enum weir_door_kind { WEIR_DOOR_LINK = 1, WEIR_DOOR_STREAM = 2 };

/* Why a caller is not let in: CHALLENGE, ANSWER, CARD and READY say it. */
enum weir_door_verdict {
    WEIR_DOOR_WELCOME,
    WEIR_DOOR_OTHER_VERSION,
    WEIR_DOOR_OTHER_PROVIDER,
    WEIR_DOOR_WRONG_SECRET,
    WEIR_DOOR_CANNOT /* the provider cannot make the link */
};

struct weir_door_hello {
    char magic[8];
    uint32_t version;
    uint32_t kind;
    char provider[16];
    unsigned char nonce[WEIR_NONCE_BYTES];
    unsigned char token[WEIR_TOKEN_BYTES]; /* STREAM: of the link's card */
    uint32_t index;                        /* STREAM */
    uint32_t reserved;
};

struct weir_door_challenge {
    char magic[8];
    uint32_t version;
    uint32_t verdict;
    char provider[16];
    unsigned char nonce[WEIR_NONCE_BYTES];
};

struct weir_door_proof {
    unsigned char proof[WEIR_PROOF_BYTES];
};

struct weir_door_answer {
    uint32_t verdict;
    uint32_t reserved;
    unsigned char proof[WEIR_PROOF_BYTES];
};

struct weir_door_card {
    uint32_t verdict;
    uint32_t credits;
    uint32_t message_bytes;
    uint32_t greeting_bytes;
    unsigned char greeting[WEIR_GREETING_BYTES];
    struct weir_card card;
};

struct weir_door_ready {
    uint32_t verdict;
    uint32_t reserved;
};

int weir_door_open(struct weir_fabric *fabric);
/* Everybody at the door is sent away. NULL is allowed. */
void weir_door_close(struct weir_door *door);

int weir_door_listen(struct weir_door *door, const char *where, char address[WEIR_ADDRESS_BYTES],
                     struct weir_error *error);
/* Begins to call for a link that link_open has made. */
int weir_door_call(struct weir_door *door, struct weir_link *link, const char *address,
                   const struct weir_card *card, const void *greeting, size_t greeting_bytes);
/* The link has no business at the door any more: it is closed or lost. */
void weir_door_forget(struct weir_link *link);

/* Epoll said `events` of a descriptor that the door watches. */
void weir_door_woken(struct weir_door *door, void *context, uint32_t events);
/* Sends away who took too long, and accepts again after a lack of descriptors. */
void weir_door_tick(struct weir_door *door, uint64_t now_ns);
/* When tick has something to do: UINT64_MAX: never. */
uint64_t weir_door_deadline(const struct weir_door *door);

/* Links that may carry data and were not told of. */
unsigned weir_door_arriving(const struct weir_door *door);
/* Tells of links that are up now; up to `max`. */
int weir_door_tell(struct weir_door *door, struct weir_event events[], unsigned max);
/* An incoming link that READY has not come for, but a message: JOINED is told first. False: the
 * link is lost, and neither is told. */
bool weir_door_tell_early(struct weir_link *link, struct weir_event *event);
/* Greetings that were told of are not needed any more. */
void weir_door_sweep(struct weir_door *door);
struct weir_door_counts weir_door_counts(const struct weir_door *door);

/* How sockets of links are: nothing waits to be sent, and dead peers are noticed. */
void weir_door_set_socket(int fd, uint64_t timeout_ns);

/* fabric.c: into one of the lists of the fabric, and out of the one that it is in: a lost link
 * whose end was not told yet is in `leaving`. */
void weir_link_put(struct weir_link **list, struct weir_link *link);
void weir_link_take_out(struct weir_link *link);
/* poll.c: watched by the door and not by the provider. `context` is aligned to 8 bytes. */
int weir_fabric_watch_door(struct weir_fabric *fabric, int fd, void *context, uint32_t events);
/* fabric.c: the door has made an incoming link, or a link is up. */
void weir_fabric_add_link(struct weir_fabric *fabric, struct weir_link *link);

#endif
