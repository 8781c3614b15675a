/* SPDX-License-Identifier: Apache-2.0 */
/* Removes addresses and secrets from texts that go into results. */
#ifndef WEIR_SYSTEM_MASK_H
#define WEIR_SYSTEM_MASK_H

#include <stdbool.h>

/* Puts "*" in the place of each literal address: IPv4, IPv6, MAC. Names of hosts stay. */
void weir_mask_addresses(char *text);

/* The same for what stands between "//" and "@": a user's name and password. */
void weir_mask_user(char *text);

/* The same for "user@host:/path", as ssh writes it. Not for Lustre, where a host is before "@". */
void weir_mask_login(char *text);

/* True for an option of a mount, "name" or "name=value", that holds a secret, leads to one, or
 * contains only an address. */
bool weir_mask_is_private(const char *option);

#endif
