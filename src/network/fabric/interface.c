/* SPDX-License-Identifier: Apache-2.0 */
/* Which of this host's network devices others reach it by. */
#include "interface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- addresses in words ---- */

static int take_host(const char *host, size_t length, struct weir_host_port *parsed)
{
    if (length == 0 || length >= sizeof parsed->host)
        return -EINVAL;
    memcpy(parsed->host, host, length);
    parsed->host[length] = '\0';
    return 0;
}

static int take_port(const char *port, struct weir_host_port *parsed)
{
    size_t length = strspn(port, "0123456789");

    if (length == 0 || length > 5 || port[length] != '\0' || strtoul(port, NULL, 10) > 65535)
        return -EINVAL;
    memcpy(parsed->port, port, length + 1);
    return 0;
}

int weir_host_port_parse(const char *text, struct weir_host_port *parsed)
{
    const char *end;
    int failure;

    snprintf(parsed->port, sizeof parsed->port, "0");
    if (text[0] == '[') {
        end = strchr(text, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':'))
            return -EINVAL;
        failure = take_host(text + 1, (size_t)(end - text) - 1, parsed);
        return failure || end[1] == '\0' ? failure : take_port(end + 2, parsed);
    }
    end = strchr(text, ':');
    /* Two colons: an IPv6 address without its brackets has no port. */
    if (end == NULL || strchr(end + 1, ':') != NULL)
        return take_host(text, strlen(text), parsed);
    failure = take_host(text, (size_t)(end - text), parsed);
    return failure ? failure : take_port(end + 1, parsed);
}

int weir_fabric_check_address(const char *address, bool is_listener, const char *place,
                              struct weir_error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    struct weir_host_port parsed = {.host = ""};
    int code = weir_host_port_parse(address, &parsed);

    if (code != 0 || (!is_listener && strcmp(parsed.port, "0") == 0))
        return weir_error_usage(
            error, place,
            "\"%s\" is no address: give %sHOST:PORT or [IPV6-ADDRESS]:PORT, with "
            "a port from %d to 65535",
            address, is_listener ? "HOST, " : "", is_listener ? 0 : 1);
    code = getaddrinfo(parsed.host, parsed.port, &hints, &found);
    if (code == EAI_MEMORY)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, place, "%s: %s", address,
                              strerror(ENOMEM));
    if (code != 0)
        return weir_error_usage(error, place, "\"%s\": the host %s is not known: %s", address,
                                parsed.host, gai_strerror(code));
    freeaddrinfo(found);
    return 0;
}

void weir_place_format_host(const struct weir_place *place, char text[WEIR_ADDRESS_BYTES])
{
    if (getnameinfo(&place->any, place->bytes, text, WEIR_ADDRESS_BYTES, NULL, 0, NI_NUMERICHOST) !=
        0)
        snprintf(text, WEIR_ADDRESS_BYTES, "?");
}

void weir_place_format(const struct weir_place *place, char text[WEIR_ADDRESS_BYTES])
{
    char host[WEIR_ADDRESS_BYTES];
    bool is_v6 = place->any.sa_family == AF_INET6;
    unsigned port = ntohs(is_v6 ? place->v6.sin6_port : place->v4.sin_port);

    weir_place_format_host(place, host);
    snprintf(text, WEIR_ADDRESS_BYTES, is_v6 ? "[%.100s]:%u" : "%.100s:%u", host, port);
}

/* ---- network devices ---- */

static bool is_inet(const struct sockaddr *address)
{
    return address != NULL && (address->sa_family == AF_INET || address->sa_family == AF_INET6);
}

static void set_place(struct weir_place *place, const struct sockaddr *address)
{
    memset(place, 0, sizeof *place);
    place->bytes = address->sa_family == AF_INET ? sizeof place->v4 : sizeof place->v6;
    memcpy(&place->any, address, place->bytes);
    place->v4.sin_port = 0; /* at the same offset in both */
}

static bool is_same_host(const struct sockaddr *left, const struct sockaddr *right)
{
    struct weir_place l, r;

    if (left->sa_family != right->sa_family)
        return false;
    set_place(&l, left);
    set_place(&r, right);
    if (left->sa_family == AF_INET)
        return l.v4.sin_addr.s_addr == r.v4.sin_addr.s_addr;
    return memcmp(&l.v6.sin6_addr, &r.v6.sin6_addr, sizeof l.v6.sin6_addr) == 0;
}

/* The better, the higher; 0: no use. IPv4 before IPv6, link-local last. */
static unsigned rank_address(const struct ifaddrs *entry)
{
    const struct sockaddr_in6 *v6;

    if (!is_inet(entry->ifa_addr) || !(entry->ifa_flags & IFF_UP))
        return 0;
    if (entry->ifa_addr->sa_family == AF_INET)
        return 3;
    v6 = (const struct sockaddr_in6 *)(const void *)entry->ifa_addr;
    return IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr) ? 1 : 2;
}

static const struct ifaddrs *find_best(const struct ifaddrs *all, const char *name)
{
    const struct ifaddrs *best = NULL;

    for (const struct ifaddrs *entry = all; entry != NULL; entry = entry->ifa_next) {
        if (name != NULL ? strcmp(entry->ifa_name, name) != 0 : entry->ifa_flags & IFF_LOOPBACK)
            continue;
        if (rank_address(entry) > (best == NULL ? 0 : rank_address(best)))
            best = entry;
    }
    return best;
}

static const struct ifaddrs *find_address(const struct ifaddrs *all, const struct sockaddr *address)
{
    for (const struct ifaddrs *entry = all; entry != NULL; entry = entry->ifa_next) {
        if (is_inet(entry->ifa_addr) && is_same_host(entry->ifa_addr, address))
            return entry;
    }
    return NULL;
}

/* What the host's name stands for, where that is one of its addresses: many hosts resolve theirs to
 * 127.0.1.1, where nobody else reaches them. */
static const struct ifaddrs *find_named(const struct ifaddrs *all)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const struct ifaddrs *entry = NULL;
    char name[256] = "";

    if (gethostname(name, sizeof name - 1) != 0 || getaddrinfo(name, NULL, &hints, &found) != 0)
        return NULL;
    for (const struct addrinfo *one = found; one != NULL && entry == NULL; one = one->ai_next) {
        entry = find_address(all, one->ai_addr);
        if (entry != NULL && (entry->ifa_flags & IFF_LOOPBACK || rank_address(entry) < 2))
            entry = NULL;
    }
    freeaddrinfo(found);
    return entry;
}

static void list_devices(const struct ifaddrs *all, struct weir_text *text)
{
    const char *last = "";

    for (const struct ifaddrs *entry = all; entry != NULL; entry = entry->ifa_next) {
        if (rank_address(entry) == 0 || strcmp(entry->ifa_name, last) == 0)
            continue;
        weir_text_add(text, "%s%s", text->length > 0 ? ", " : "", entry->ifa_name);
        last = entry->ifa_name;
    }
}

static int refuse(const struct ifaddrs *all, const char *wanted, struct weir_error *error)
{
    struct weir_text names = {0};

    list_devices(all, &names);
    weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENODEV, "interface",
                   "this host has no network device or address \"%s\" that is up; it has %s",
                   wanted, names.length > 0 ? weir_text_string(&names) : "none");
    weir_text_close(&names);
    return -ENODEV;
}

static int find_wanted(const struct ifaddrs *all, const char *wanted, struct weir_place *place,
                       const struct ifaddrs **entry, struct weir_error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *found = NULL;

    *entry = find_best(all, wanted);
    if (*entry != NULL) {
        set_place(place, (*entry)->ifa_addr);
        return 0;
    }
    if (getaddrinfo(wanted, NULL, &hints, &found) != 0)
        return refuse(all, wanted, error);
    set_place(place, found->ai_addr);
    freeaddrinfo(found);
    *entry = find_address(all, &place->any);
    /* All of 127/8 is this host, though one address of it is listed. */
    if (*entry == NULL && !(place->any.sa_family == AF_INET &&
                            ntohl(place->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET))
        return refuse(all, wanted, error);
    return 0;
}

int weir_interface_find(const char *wanted, struct weir_place *place, char name[32],
                        struct weir_error *error)
{
    const struct ifaddrs *entry = NULL;
    struct ifaddrs *all = NULL;
    int failure = 0;

    if (getifaddrs(&all) != 0)
        all = NULL;
    if (wanted != NULL) {
        failure = find_wanted(all, wanted, place, &entry, error);
    } else {
        entry = find_named(all);
        if (entry == NULL)
            entry = find_best(all, NULL);
        if (entry != NULL) {
            set_place(place, entry->ifa_addr);
        } else {
            *place = (struct weir_place){.v4 = {.sin_family = AF_INET}, .bytes = sizeof place->v4};
            place->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        }
    }
    if (!failure)
        snprintf(name, 32, "%s", entry == NULL ? "" : entry->ifa_name);
    if (all != NULL)
        freeifaddrs(all);
    return failure;
}

/* ---- where a process listens ---- */

int weir_interface_listen_at(const char *where, const char *interface, struct weir_place *place,
                             struct weir_error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    struct weir_host_port parsed = {.host = ""};
    char name[32];
    int failure;

    if (where == NULL)
        return weir_interface_find(interface, place, name, error);
    if (weir_host_port_parse(where, &parsed) != 0)
        return weir_error_usage(error, where,
                                "not an address; HOST:PORT, HOST or [IPV6-ADDRESS]:PORT is");
    failure = getaddrinfo(parsed.host, parsed.port, &hints, &found);
    if (failure)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EADDRNOTAVAIL, where,
                              "this host is not known: %s", gai_strerror(failure));
    *place = (struct weir_place){.bytes = found->ai_addrlen};
    memcpy(&place->any, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static bool is_anywhere(const struct weir_place *place)
{
    if (place->any.sa_family == AF_INET)
        return place->v4.sin_addr.s_addr == htonl(INADDR_ANY);
    return IN6_IS_ADDR_UNSPECIFIED(&place->v6.sin6_addr);
}

int weir_interface_tell(const char *interface, struct weir_place *place,
                        char address[WEIR_ADDRESS_BYTES], struct weir_error *error)
{
    struct weir_place known;
    char name[32];
    in_port_t port = place->v4.sin_port; /* at the same offset in both */
    int failure;

    if (is_anywhere(place)) {
        failure = weir_interface_find(interface, &known, name, error);
        if (failure)
            return failure;
        *place = known;
        place->v4.sin_port = port;
    }
    weir_place_format(place, address);
    return 0;
}
