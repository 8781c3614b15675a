/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the backend's options, and what they mean to the rooms below. */
#include "rdma_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below, an object would be mostly requests. */
enum { STRIPE_UNIT_LEAST = 512 };

/* Those of the rows below: another one was given. */
#define STANDARD_CAPACITY (INT64_C(1) << 30)
#define STANDARD_INLINE 220

#define AT(member) WEIR_OPTION_AT(struct weir_rdma_options, member)

const struct weir_option weir_rdma_rows[] = {
    {0, "rdma.targets", WEIR_OPTION_TEXT, AT(targets),
     .help = "who serves: a number (of the last ranks), per-node (the last rank of each), or self "
             "(every rank, and is a client as well); nothing: 1, or self for a single rank"},
    {0, "rdma.hosts", WEIR_OPTION_TEXT, AT(hosts), .is_place = true,
     .help = "servers that weir serve runs, instead of ranks: HOST:PORT, with / or ; between them"},
    {0, "rdma.hosts-file", WEIR_OPTION_TEXT, AT(hosts_file), .is_place = true,
     .help = "file that names them, HOST:PORT per line, as weir serve --advertise writes it"},
    {0, "rdma.secret-file", WEIR_OPTION_TEXT, AT(secret_file), .is_place = true,
     .help = "file with the secret that these servers want to have proven"},
    {0, "rdma.provider", WEIR_OPTION_CHOICE, AT(fabric.provider), NULL, "verbs|tcp|shm",
     .is_place = true,
     .help = "what moves the data; nothing: verbs where there is a device for it, else tcp"},
    {0, "rdma.device", WEIR_OPTION_TEXT, AT(fabric.device), .is_place = true,
     .help =
         "device of verbs, mlx5_0 or mlx5_0/1 with a port; several with , or ; between them: of "
         "a node's servers each takes another one, and so do its clients; nothing: servers take "
         "those that are up, in turn, and clients the first one"},
    {0, "rdma.interface", WEIR_OPTION_TEXT, AT(fabric.interface), .is_place = true,
     .help = "name or address of the network device that servers are reached at"},
    {0, "rdma.gid", WEIR_OPTION_INTEGER, AT(fabric.gid_index), "-1", .is_place = true,
     .help = "index into the GID table of the port (verbs); -1: chosen", .least = -1, .most = 255},
    {0, "rdma.capacity", WEIR_OPTION_SIZE, AT(capacity_bytes), "1g",
     .help = "memory of each server of the job", .least = INT64_C(1) << 20,
     .most = INT64_C(1) << 50},
    {0, "rdma.huge-pages", WEIR_OPTION_FLAG, AT(wants_huge_pages),
     .help = "transfer buffers of huge pages, where there are any; the memory of servers is of "
             "those in reserve where there are enough"},
    {0, "rdma.back", WEIR_OPTION_TEXT, AT(back),
     .help = "file or device behind the memory of each server, which fsync reaches; %d in it "
             "becomes the server's number"},
    {0, "rdma.stripe-unit", WEIR_OPTION_SIZE, AT(stripe_unit_bytes), "1m",
     .help = "bytes of an object at one server before the next one follows",
     .least = STRIPE_UNIT_LEAST, .most = INT64_C(1) << 40},
    {0, "rdma.stripe-count", WEIR_OPTION_COUNT, AT(stripe_count), "0",
     .help = "servers that an object is striped over; 0: all", .most = WEIR_OBJECT_SERVERS_MAX},
    {0, "rdma.mode", WEIR_OPTION_CHOICE, AT(mode), "onesided", "onesided|pull|send",
     .help = "who moves data: the client by WRITE and READ, the server by READ and WRITE upon a "
             "message, or messages that carry them"},
    {0, "rdma.flush", WEIR_OPTION_CHOICE, AT(flush), "best", "best|accepted|visible|storage",
     .help = "how far fsync goes: WRITEs complete, seen by the server, or in what is behind its "
             "memory; best: the furthest there is"},
    {0, "rdma.sizes", WEIR_OPTION_CHOICE, AT(sizes), "relaxed", "relaxed|strict",
     .help = "when others see that an object has grown: at fsync and close, or with each write"},
    {0, "rdma.signal-every", WEIR_OPTION_COUNT, AT(fabric.signal_every), "0",
     .help = "of requests posted together, every so many asks for a completion (verbs); 0: the "
             "last",
     .most = 1 << 16},
    {0, "rdma.mtu", WEIR_OPTION_COUNT, AT(fabric.mtu_bytes), "0",
     .help = "longest packet in bytes (verbs); 0: that of the port", .most = 4096},
    {0, "rdma.read-depth", WEIR_OPTION_COUNT, AT(fabric.read_depth), "0",
     .help = "READs in flight to each server (verbs); 0: the device's maximum", .most = 255},
    {0, "rdma.inline", WEIR_OPTION_COUNT, AT(fabric.inline_bytes), "220",
     .help = "data of so many bytes at most travel in the request itself (verbs); 0: none",
     .most = 4096},
    {0, "rdma.service-level", WEIR_OPTION_COUNT, AT(fabric.service_level), "0",
     .help = "service level of packets (verbs): the virtual lane, or the priority of a VLAN",
     .most = 15},
    {0, "rdma.traffic-class", WEIR_OPTION_COUNT, AT(fabric.traffic_class), "0",
     .help = "traffic class of packets (verbs): of RoCE v2, DSCP times 4, by which switches choose "
             "their lossless queue",
     .most = 255},
    {0, "rdma.pkey", WEIR_OPTION_COUNT, AT(fabric.pkey_index), "0",
     .help = "index into the P_Key table of the port (verbs)", .most = 65535},
    {0, "rdma.timeout", WEIR_OPTION_SECONDS, AT(fabric.timeout_ns), "10",
     .help = "seconds after which a server that does not answer is given up"},
    {0, "rdma.spin", WEIR_OPTION_MICROSECONDS, AT(fabric.spin_ns), "50",
     .help = "microseconds that a wait watches before it sleeps"},
    {0},
};

bool weir_rdma_has_hosts(const struct weir_rdma_options *options)
{
    return options->hosts || options->hosts_file;
}

/* ---- what does not go together ---- */

static int check_hosts(const struct weir_rdma_options *options, struct weir_error *error)
{
    if (!weir_rdma_has_hosts(options)) {
        if (options->secret_file)
            return weir_error_usage(error, "rdma",
                                    "--rdma.secret-file is for servers that --rdma.hosts names; "
                                    "those of the job share a secret of their own: leave it out");
        return 0;
    }
    if (options->hosts && options->hosts_file)
        return weir_error_usage(error, "rdma",
                                "--rdma.hosts and --rdma.hosts-file both name the servers: leave "
                                "out one of them");
    if (options->targets)
        return weir_error_usage(error, "rdma",
                                "--rdma.targets makes ranks serve, and --rdma.hosts names servers "
                                "that run already: leave out one of them");
    if (!options->secret_file)
        return weir_error_usage(error, "rdma",
                                "servers outside of the job want a secret proven: name the file "
                                "that they were started with, --rdma.secret-file FILE");
    if (options->back)
        return weir_error_usage(error, "rdma",
                                "--rdma.back is about servers of the job; those of --rdma.hosts "
                                "have their own, weir serve --back FILE: leave it out");
    if (options->capacity_bytes != STANDARD_CAPACITY)
        return weir_error_usage(error, "rdma",
                                "--rdma.capacity is about servers of the job; those of "
                                "--rdma.hosts have what weir serve --capacity gave them: leave it "
                                "out");
    return 0;
}

static int check_provider(const struct weir_rdma_options *options, struct weir_error *error)
{
    static const char *const of_verbs[] = {
        "rdma.device", "rdma.gid",           "rdma.signal-every",  "rdma.mtu",  "rdma.read-depth",
        "rdma.inline", "rdma.service-level", "rdma.traffic-class", "rdma.pkey", NULL};
    const char *name = weir_options_find_changed(weir_rdma_rows, options, of_verbs);

    if (!name || !options->fabric.provider || strcmp(options->fabric.provider, "verbs") == 0)
        return 0;
    return weir_error_usage(error, "rdma",
                            "--%s is about verbs, and --rdma.provider %s has no such thing: "
                            "leave out one of them",
                            name, options->fabric.provider);
}

#define DEVICES_END ",;"

static int check_devices(const char *list, struct weir_error *error)
{
    for (unsigned number = 1; list; number++) {
        size_t length = strcspn(list, DEVICES_END);

        if (length == 0 || length >= WEIR_RDMA_DEVICE_BYTES)
            return weir_error_usage(error, "rdma",
                                    "--rdma.device: device %u has no name, or none that is a "
                                    "device's: mlx5_0, mlx5_0/1, or several with , between them",
                                    number);
        list = list[length] == '\0' ? NULL : list + length + 1;
    }
    return 0;
}

static int check_numbers(const struct weir_rdma_options *options, struct weir_error *error)
{
    if (options->fabric.mtu_bytes & (options->fabric.mtu_bytes - 1) ||
        (options->fabric.mtu_bytes && options->fabric.mtu_bytes < 256))
        return weir_error_usage(error, "rdma",
                                "--rdma.mtu: verbs know 256, 512, 1024, 2048 and 4096 bytes");
    if (options->fabric.timeout_ns == 0)
        return weir_error_usage(error, "rdma",
                                "--rdma.timeout: no server answers within 0 seconds: give it some");
    return 0;
}

int weir_rdma_targets_read(const char *word, unsigned *count, struct weir_error *error)
{
    unsigned long number;
    char *end;

    errno = 0;
    number = strtoul(word, &end, 10);
    if (errno != 0 || end == word || *end != '\0' || *word == '-' || number == 0 ||
        number > WEIR_OBJECT_SERVERS_MAX)
        return weir_error_usage(error, "rdma",
                                "--rdma.targets %s: name a number of ranks from 1 to %d, per-node, "
                                "or self",
                                word, WEIR_OBJECT_SERVERS_MAX);
    *count = (unsigned)number;
    return 0;
}

static int check_targets(const char *word, struct weir_error *error)
{
    unsigned count;

    if (!word || strcmp(word, "self") == 0 || strcmp(word, "per-node") == 0)
        return 0;
    return weir_rdma_targets_read(word, &count, error);
}

int weir_rdma_options_check(const void *values, struct weir_error *error)
{
    const struct weir_rdma_options *options = values;
    int rc = check_hosts(options, error);

    if (rc == 0)
        rc = check_targets(options->targets, error);
    if (rc == 0)
        rc = check_devices(options->fabric.device, error);
    if (rc == 0)
        rc = check_provider(options, error);
    if (rc == 0)
        rc = check_numbers(options, error);
    if (rc == 0 && !weir_rdma_has_hosts(options) && !options->back &&
        options->flush == WEIR_FLUSH_STORAGE)
        rc = weir_error_usage(error, "rdma",
                              "--rdma.flush storage: there is nothing behind the memory of the "
                              "servers: add --rdma.back FILE, or leave it out");
    return rc;
}

/* ---- what they mean below ---- */

unsigned weir_rdma_device_count(const struct weir_rdma_options *options)
{
    const char *list = options->fabric.device;
    unsigned count = list != NULL;

    for (; list && *list != '\0'; list++)
        count += strchr(DEVICES_END, *list) != NULL;
    return count;
}

struct weir_fabric_params weir_rdma_fabric_params(const struct weir_rdma_options *options,
                                                  unsigned number,
                                                  char device[WEIR_RDMA_DEVICE_BYTES],
                                                  const unsigned char *secret)
{
    struct weir_fabric_params params = options->fabric;
    const char *name = params.device;

    if (name) {
        for (number %= weir_rdma_device_count(options); number > 0; number--)
            name += strcspn(name, DEVICES_END) + 1;
        snprintf(device, WEIR_RDMA_DEVICE_BYTES, "%.*s", (int)strcspn(name, DEVICES_END), name);
        params.device = device;
    } else {
        params.device_number = number;
    }
    /* 0 is the fabric's default there. */
    if (params.spin_ns == 0)
        params.spin_ns = 1;
    if (params.inline_bytes == 0)
        params.inline_bytes = WEIR_INLINE_NONE;
    else if (params.inline_bytes == STANDARD_INLINE)
        params.inline_bytes = 0;
    params.secret = secret;
    return params;
}

/* ---- servers that run already ---- */

struct host_list {
    struct weir_arena *arena;
    const char **addresses;
    const char **places; /* of each: the option, and of a file the line */
    unsigned count;
};

static int add_host(struct host_list *list, const char *place, const char *word, size_t length,
                    struct weir_error *error)
{
    while (length > 0 && strchr(" \t\r\n", *word))
        word++, length--;
    while (length > 0 && strchr(" \t\r\n", word[length - 1]))
        length--;
    if (length == 0)
        return 0;
    if (list->count == WEIR_OBJECT_SERVERS_MAX)
        return weir_error_usage(error, "rdma", "%s: there are more than %d servers", place,
                                WEIR_OBJECT_SERVERS_MAX);
    if (length >= WEIR_ADDRESS_BYTES || !memchr(word, ':', length))
        return weir_error_usage(error, "rdma", "%s: \"%.*s\" is no HOST:PORT", place,
                                (int)(length < 80 ? length : 80), word);
    list->addresses[list->count] = weir_arena_printf(list->arena, "%.*s", (int)length, word);
    list->places[list->count++] = weir_arena_printf(list->arena, "rdma: %s", place);
    return 0;
}

/* An empty name is a variable of a script that was never set: the objects would be spread over
 * fewer servers than meant. */
static int read_list(struct host_list *list, const char *hosts, struct weir_error *error)
{
    const char *rest = hosts;
    int rc;

    do {
        const unsigned count = list->count;
        size_t length = strcspn(rest, "/;,");

        rc = add_host(list, "--rdma.hosts", rest, length, error);
        if (rc == 0 && list->count == count)
            rc = weir_error_usage(error, "rdma",
                                  "--rdma.hosts: server %u of \"%.80s\" has no name: HOST:PORT, "
                                  "with / between two of them",
                                  count + 1, hosts);
        rest += length;
    } while (rc == 0 && *rest++ != '\0');
    return rc;
}

static int read_file(struct host_list *list, const char *path, struct weir_error *error)
{
    FILE *file = fopen(path, "re");
    char *line = NULL, place[PATH_MAX + 64];
    size_t capacity = 0;
    unsigned number = 0;
    ssize_t length;
    int rc = 0;

    if (!file)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, "rdma",
                              "--rdma.hosts-file: %s: %s", path, strerror(errno));
    while (rc == 0 && (length = getline(&line, &capacity, file)) >= 0) {
        snprintf(place, sizeof place, "--rdma.hosts-file: %s:%u", path, ++number);
        rc = strlen(line) < (size_t)length
                 ? weir_error_usage(error, "rdma",
                                    "%s: is no text: there is a zero byte in this line", place)
                 : add_host(list, place, line, strcspn(line, "#"), error);
    }
    free(line);
    fclose(file);
    return rc;
}

int weir_rdma_hosts_read(const struct weir_rdma_options *options, struct weir_arena *arena,
                         const char *const **addresses, unsigned *count, struct weir_error *error)
{
    struct host_list list = {.arena = arena};
    int rc;

    list.addresses = weir_arena_take(arena, WEIR_OBJECT_SERVERS_MAX * sizeof *list.addresses);
    list.places = weir_arena_take(arena, WEIR_OBJECT_SERVERS_MAX * sizeof *list.places);
    rc = options->hosts ? read_list(&list, options->hosts, error)
                        : read_file(&list, options->hosts_file, error);
    if (rc == 0 && list.count == 0)
        rc = weir_error_usage(error, "rdma", "%s names no server: give it lines of HOST:PORT",
                              options->hosts ? "--rdma.hosts" : options->hosts_file);
    /* Looking up names may take a while: after all else. */
    for (unsigned i = 0; rc == 0 && i < list.count; i++)
        rc = weir_fabric_check_address(list.addresses[i], false, list.places[i], error);
    if (rc < 0)
        return rc;
    *addresses = list.addresses;
    *count = list.count;
    return 0;
}
