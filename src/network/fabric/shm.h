/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the shm provider: the inbox that a peer puts messages into, and the memory of a
 * peer. What comes out of shared memory is read once, checked, and then used. */
#ifndef WEIR_NETWORK_FABRIC_SHM_H
#define WEIR_NETWORK_FABRIC_SHM_H

#include "provider.h"

#include <stdatomic.h>

/* ---- inboxes ---- */

enum { WEIR_SHM_LINE_BYTES = 64 };

/* At the head of an inbox, in memory that both ends write; slots follow. Counts of messages run
 * through 2^32 and start again. Each end has cache lines of its own. */
struct weir_shm_inbox_head {
    _Alignas(WEIR_SHM_LINE_BYTES) _Atomic uint32_t sent;      /* by the peer */
    _Alignas(WEIR_SHM_LINE_BYTES) _Atomic uint32_t received;  /* by the owner */
    _Alignas(WEIR_SHM_LINE_BYTES) _Atomic uint32_t is_asleep; /* the owner; the peer wakes it */
};

/* One end's view of an inbox: the owner receives, the peer sends. */
struct weir_shm_inbox {
    struct weir_shm_inbox_head *head;
    unsigned char *slots;
    size_t bytes;  /* of the mapping */
    size_t stride; /* of slots */
    int fd;        /* the owner's */
    uint32_t slot_count;
    uint32_t message_bytes;
    uint32_t count;    /* the owner: received; the peer: sent */
    uint32_t received; /* the peer: as it has read last, which costs a line of the cache */
};

/* What the owner tells its peer, and what is checked before a byte is believed. */
struct weir_shm_inbox_info {
    uint64_t inode;
    int32_t fd;
    uint32_t slot_count;
    uint32_t message_bytes;
};

/* The owner's: a slot for each credit. 0 or -errno. */
int weir_shm_inbox_open(struct weir_shm_inbox *inbox, unsigned credits, unsigned message_bytes,
                        struct weir_shm_inbox_info *info);
struct weir_shm_peer;
/* That of the peer. 0 or -errno; -EPROTO: the info does not fit what was found. */
int weir_shm_inbox_join(struct weir_shm_inbox *inbox, const struct weir_shm_peer *peer,
                        const struct weir_shm_inbox_info *info);
void weir_shm_inbox_close(struct weir_shm_inbox *inbox);

/* Puts a message in; the owner sees it, and all that was written before. 0; -EAGAIN: no slot is
 * free; -EMSGSIZE; -EPROTO: the owner has written nonsense. */
int weir_shm_inbox_send(struct weir_shm_inbox *inbox, const struct weir_wr *wr);
/* After messages were sent: whether the owner sleeps and is to be woken; told only once. */
bool weir_shm_inbox_wants_wake(struct weir_shm_inbox *inbox);

/* How many messages are to be received, or -EPROTO: the peer has written nonsense. */
int weir_shm_inbox_waiting(const struct weir_shm_inbox *inbox);
/* Copies out the oldest of them: its length, or -EPROTO. */
int weir_shm_inbox_receive(struct weir_shm_inbox *inbox, void *message);
/* The owner says that it sleeps, or no more. Having said so, it looks once more before it does. */
void weir_shm_inbox_sleep(struct weir_shm_inbox *inbox, bool is_asleep);

/* ---- memory of a peer ---- */

struct weir_shm_mapping {
    int32_t fd; /* of the peer */
    uint64_t inode;
    unsigned char *memory; /* NULL: none */
    size_t bytes;
};

#define WEIR_SHM_MAPPINGS_MAX 8

struct weir_shm_peer {
    int32_t process;
    int directory; /* its /proc/PID: never that of another process which gets its number later */
    struct weir_shm_mapping mappings[WEIR_SHM_MAPPINGS_MAX];
    unsigned next; /* to be replaced */
};

/* 0 or -errno: there is no such process. */
int weir_shm_peer_open(struct weir_shm_peer *peer, int32_t process);
void weir_shm_peer_close(struct weir_shm_peer *peer);

/* `key.key` of a slab: where the region begins in it, and so much of its inode that a descriptor
 * which has become another file is noticed. */
#define WEIR_SHM_OFFSET_BITS 44

/* Fills in what peers need for this region. 0 or -errno. */
int weir_shm_key_make(struct weir_region_key *key, const void *memory, size_t bytes,
                      const struct weir_slab *slab);

/* Maps a memfd of the peer, which must be sealed against shrinking. `inode_mask`: the bits
 * of the inode that are known. 0 or -errno; -EACCES: it is something else. */
int weir_shm_map(struct weir_shm_mapping *mapping, const struct weir_shm_peer *peer, int32_t fd,
                 uint64_t inode, uint64_t inode_mask);
void weir_shm_unmap(struct weir_shm_mapping *mapping);

/* Does a WRITE or READ. 0 or -errno: -EACCES for what is not within the key, or not within what
 * the key stands for, or not of this peer; -EPERM where the kernel keeps processes apart;
 * -ECONNRESET: the peer has ended. */
int weir_shm_move(struct weir_shm_peer *peer, const struct weir_wr *wr);

/* ---- who can be a peer ---- */

/* Where a process is: processes that agree in this can name each other's descriptors. */
struct weir_shm_place {
    char boot[40];          /* of the kernel, "" if it does not tell */
    uint64_t process_names; /* the inode of the PID namespace; 0: not told */
    int32_t process;
    uint32_t user;
};

void weir_shm_place_find(struct weir_shm_place *place);

/* Why `theirs` cannot be a peer of ours, as a sentence's second half, or NULL. */
const char *weir_shm_place_refuse(const struct weir_shm_place *ours,
                                  const struct weir_shm_place *theirs);

/* The same after the link's socket is known: a process that may touch the memory of all users asks
 * the kernel whose the peer's end of it is, and does not go by what the peer says. */
const char *weir_shm_peer_refuse(int socket, const struct weir_shm_place *ours,
                                 const struct weir_shm_peer *peer);

void weir_shm_diagnose(struct weir_diagnosis *diagnosis);
/* Enough descriptors for so many links. 0 or the error. */
int weir_shm_check(const struct weir_fabric *fabric, const struct weir_fabric_need *need,
                   struct weir_error *error);

#endif
