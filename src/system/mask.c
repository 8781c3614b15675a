/* SPDX-License-Identifier: Apache-2.0 */
/* Finds addresses and secrets in texts. */
#include "mask.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Puts "*" in the place of `length` bytes; what follows moves up. */
static void mask(char *at, size_t length)
{
    *at = '*';
    memmove(at + 1, at + length, strlen(at + length) + 1);
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* ---- addresses ---- */

/* Bytes of four numbers with points between them; 0: something else. */
static size_t dotted_length(const char *text)
{
    const char *at = text;

    for (int i = 0; i < 4; i++) {
        size_t digits = strspn(at, "0123456789");

        if (digits == 0 || digits > 3 || strtoul(at, NULL, 10) > 255)
            return 0;
        at += digits;
        if (i < 3 && *at++ != '.')
            return 0;
    }
    return is_part_of_name(*at) ? 0 : (size_t)(at - text);
}

/* The characters that make hexadecimal digits and colons an address. */
struct groups {
    unsigned colons;
    unsigned longest;
    unsigned shortest;
    bool is_shortened; /* "::" stands for zeros */
};

static struct groups count_groups(const char *text, size_t length)
{
    struct groups groups = {.shortest = 5};
    unsigned digits = 0;

    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != ':') {
            digits++;
            continue;
        }
        if (digits > groups.longest)
            groups.longest = digits;
        if (digits < groups.shortest)
            groups.shortest = digits;
        groups.colons += i < length;
        groups.is_shortened |= i + 1 < length && text[i + 1] == ':';
        digits = 0;
    }
    return groups;
}

/* Bytes of an address of IPv6 or of a MAC address; 0: something else, as 12:30:00 is. */
static size_t hexadecimal_length(const char *text)
{
    size_t length = strspn(text, "0123456789abcdefABCDEF:");
    struct groups groups = count_groups(text, length);
    bool is_mac = groups.colons == 5 && groups.shortest == 2 && groups.longest == 2;
    bool is_ipv6 = groups.longest >= 1 && groups.longest <= 4 && groups.colons >= 2 &&
                   (groups.is_shortened || groups.colons == 7);

    if (!is_mac && !is_ipv6)
        return 0;
    /* The end of IPv6 may be written as IPv4 is. */
    if (text[length] == '.')
        length += strspn(text + length, "0123456789.");
    return isalnum((unsigned char)text[length]) ? 0 : length;
}

void weir_mask_addresses(char *text)
{
    char before = '\0';

    for (char *at = text; *at != '\0'; before = *at++) {
        size_t length = 0;

        if (!is_part_of_name(before))
            length = dotted_length(at);
        if (length == 0 && !is_part_of_name(before) && before != ':')
            length = hexadecimal_length(at);
        if (length > 0)
            mask(at, length);
    }
}

/* ---- secrets ---- */

void weir_mask_user(char *text)
{
    for (char *at = strstr(text, "//"); at != NULL; at = strstr(at + 2, "//")) {
        const char *end = at + 2 + strcspn(at + 2, "/");
        const char *sign = memrchr(at + 2, '@', (size_t)(end - (at + 2)));

        if (sign != NULL && sign > at + 2)
            mask(at + 2, (size_t)(sign - (at + 2)));
    }
}

void weir_mask_login(char *text)
{
    const char *sign = memchr(text, '@', strcspn(text, "/"));

    if (sign != NULL && sign > text)
        mask(text, (size_t)(sign - text));
}

static bool has_word(const char *name, size_t length, const char *word)
{
    size_t size = strlen(word);

    for (size_t i = 0; i + size <= length; i++)
        if (strncasecmp(name + i, word, size) == 0)
            return true;
    return false;
}

bool weir_mask_is_private(const char *option)
{
    static const char *const words[] = {"pass", "secret", "cred", "token", "key"};
    static const char *const addresses[] = {"addr",    "clientaddr", "mountaddr", "mon_addr",
                                            "srcaddr", "ip",         "unc"};
    size_t length = strcspn(option, "=");

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(option, length, words[i]))
            return true;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (strlen(addresses[i]) == length && strncmp(option, addresses[i], length) == 0)
            return true;
    return false;
}
