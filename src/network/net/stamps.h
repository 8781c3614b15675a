/* SPDX-License-Identifier: Apache-2.0 */
/* What is in messages that are checked: a number, and at each page and at the end a mark made of
 * that number and the place. */
#ifndef WEIR_NETWORK_NET_STAMPS_H
#define WEIR_NETWORK_NET_STAMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shorter messages have no room. */
#define NET_STAMP_BYTES 8

void net_stamp_put(unsigned char *message, size_t bytes, uint64_t seed, uint64_t number);

/* True if all marks are of one number, which *number receives. */
bool net_stamp_get(const unsigned char *message, size_t bytes, uint64_t seed, uint64_t *number);

/* Makes a message wrong until the next one has come. */
void net_stamp_spoil(unsigned char *message, size_t bytes);

#endif
