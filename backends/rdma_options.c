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

/* That of the row below: another one was given. */
#define STANDARD_CAPACITY (INT64_C(1) << 30)

#define ROW(field) .offset = offsetof(struct weir_rdma_options, field)

const struct weir_option weir_rdma_rows[] = {
    {.name = "rdma.targets",
     .type = WEIR_OPTION_TEXT,
     ROW(targets),
     .help = "who serves: a number (of the last ranks), per-node (the last rank of each), or self "
             "(every rank, and is a client as well); nothing: 1, or self for a single rank"},
    {.name = "rdma.hosts",
     .type = WEIR_OPTION_TEXT,
     ROW(hosts),
     .help = "servers that weir serve runs, instead of ranks: HOST:PORT, with / or ; between them"},
    {.name = "rdma.hosts-file",
     .type = WEIR_OPTION_TEXT,
     ROW(hosts_file),
     .help = "file that names them, HOST:PORT per line, as weir serve --advertise writes it"},
    {.name = "rdma.secret-file",
     .type = WEIR_OPTION_TEXT,
     ROW(secret_file),
     .help = "file with the secret that these servers want to have proven"},
    {.name = "rdma.provider",
     .type = WEIR_OPTION_CHOICE,
     ROW(provider),
     .choices = "verbs|tcp|shm",
     .help = "what moves the data; nothing: verbs where there is a device for it, else tcp"},
    {.name = "rdma.device",
     .type = WEIR_OPTION_TEXT,
     ROW(device),
     .help = "device of verbs, mlx5_0 or mlx5_0/1 with a port; nothing: the first one that is up"},
    {.name = "rdma.interface",
     .type = WEIR_OPTION_TEXT,
     ROW(interface),
     .help = "name or address of the network device that servers are reached at"},
    {.name = "rdma.gid",
     .type = WEIR_OPTION_INTEGER,
     ROW(gid),
     .standard = "-1",
     .help = "index into the GID table of the port (verbs); -1: chosen"},
    {.name = "rdma.wireup",
     .type = WEIR_OPTION_CHOICE,
     ROW(wireup),
     .choices = "auto|socket|cm",
     .standard = "auto",
     .help = "how queue pairs find each other (verbs): over a socket, or by rdma_cm, as iWARP "
             "needs it"},
    {.name = "rdma.capacity",
     .type = WEIR_OPTION_SIZE,
     ROW(capacity),
     .standard = "1g",
     .help = "memory of each server of the job"},
    {.name = "rdma.huge-pages",
     .type = WEIR_OPTION_FLAG,
     ROW(wants_huge_pages),
     .help = "that memory, and buffers, of huge pages, where some are reserved"},
    {.name = "rdma.back",
     .type = WEIR_OPTION_TEXT,
     ROW(back),
     .help = "file or device behind the memory of each server, which fsync reaches; %d in it "
             "becomes the server's number"},
    {.name = "rdma.stripe-unit",
     .type = WEIR_OPTION_SIZE,
     ROW(stripe_unit),
     .standard = "1m",
     .help = "bytes of an object at one server before the next one follows"},
    {.name = "rdma.stripe-count",
     .type = WEIR_OPTION_COUNT,
     ROW(stripe_count),
     .standard = "0",
     .help = "servers that an object is striped over; 0: all"},
    {.name = "rdma.mode",
     .type = WEIR_OPTION_CHOICE,
     ROW(mode),
     .choices = "onesided|pull|send",
     .standard = "onesided",
     .help = "who moves data: the client by WRITE and READ, the server by READ and WRITE upon a "
             "message, or messages that carry them"},
    {.name = "rdma.flush",
     .type = WEIR_OPTION_CHOICE,
     ROW(flush),
     .choices = "best|accepted|visible|storage",
     .standard = "best",
     .help = "how far fsync goes: WRITEs complete, seen by the server, or in what is behind its "
             "memory; best: the furthest there is"},
    {.name = "rdma.sizes",
     .type = WEIR_OPTION_CHOICE,
     ROW(sizes),
     .choices = "relaxed|strict",
     .standard = "relaxed",
     .help = "when others see that an object has grown: at fsync and close, or with each write"},
    {.name = "rdma.pairs",
     .type = WEIR_OPTION_COUNT,
     ROW(pairs),
     .standard = "1",
     .help = "queue pairs (verbs) or streams (tcp) to each server"},
    {.name = "rdma.signal-every",
     .type = WEIR_OPTION_COUNT,
     ROW(signal_every),
     .standard = "0",
     .help = "of requests posted together, every so many asks for a completion (verbs); 0: the "
             "last"},
    {.name = "rdma.mtu",
     .type = WEIR_OPTION_COUNT,
     ROW(mtu),
     .standard = "0",
     .help = "longest packet in bytes (verbs); 0: that of the port"},
    {.name = "rdma.read-depth",
     .type = WEIR_OPTION_COUNT,
     ROW(read_depth),
     .standard = "0",
     .help = "READs in flight for each queue pair (verbs); 0: the device's maximum"},
    {.name = "rdma.timeout",
     .type = WEIR_OPTION_SECONDS,
     ROW(timeout_ns),
     .standard = "10",
     .help = "seconds after which a server that does not answer is given up"},
    {.name = "rdma.spin",
     .type = WEIR_OPTION_MICROSECONDS,
     ROW(spin_ns),
     .standard = "50",
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
    if (options->capacity != STANDARD_CAPACITY)
        return weir_error_usage(error, "rdma",
                                "--rdma.capacity is about servers of the job; those of "
                                "--rdma.hosts have what weir serve --capacity gave them: leave it "
                                "out");
    return 0;
}

/* The first given option that only verbs have; NULL: none is. */
static const char *find_verbs_option(const struct weir_rdma_options *options)
{
    const struct {
        const char *name;
        bool is_given;
    } own[] = {
        {"device", options->device != NULL},
        {"gid", options->gid != -1},
        {"wireup", options->wireup && strcmp(options->wireup, "auto") != 0},
        {"signal-every", options->signal_every != 0},
        {"mtu", options->mtu != 0},
        {"read-depth", options->read_depth != 0},
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].is_given)
            return own[i].name;
    return NULL;
}

static int check_provider(const struct weir_rdma_options *options, struct weir_error *error)
{
    const char *name = find_verbs_option(options);

    if (options->pairs > 1 && options->provider && strcmp(options->provider, "shm") == 0)
        return weir_error_usage(error, "rdma",
                                "--rdma.pairs: between processes of one node there is one way "
                                "through memory: leave it out, or choose --rdma.provider tcp or "
                                "verbs");
    if (!name || !options->provider || strcmp(options->provider, "verbs") == 0)
        return 0;
    return weir_error_usage(error, "rdma",
                            "--rdma.%s is about verbs, and --rdma.provider %s has no such thing: "
                            "leave out one of them",
                            name, options->provider);
}

static int check_number(const char *name, int64_t value, int64_t least, int64_t most,
                        struct weir_error *error)
{
    if (value >= least && value <= most)
        return 0;
    return weir_error_usage(error, "rdma", "--rdma.%s: %lld is not between %lld and %lld", name,
                            (long long)value, (long long)least, (long long)most);
}

static int check_numbers(const struct weir_rdma_options *options, struct weir_error *error)
{
    const struct {
        const char *name;
        int64_t value;
        int64_t least;
        int64_t most;
    } numbers[] = {
        {"gid", options->gid, -1, 255},
        {"stripe-unit", options->stripe_unit, STRIPE_UNIT_LEAST, INT64_C(1) << 40},
        {"stripe-count", options->stripe_count, 0, WEIR_OBJECT_SERVERS_MAX},
        {"pairs", options->pairs, 1, 64},
        {"signal-every", options->signal_every, 0, 1 << 16},
        {"mtu", options->mtu, 0, 4096},
        {"read-depth", options->read_depth, 0, 255},
        {"capacity", options->capacity, INT64_C(1) << 20, INT64_C(1) << 50},
    };
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof numbers / sizeof *numbers; i++)
        rc = check_number(numbers[i].name, numbers[i].value, numbers[i].least, numbers[i].most,
                          error);
    if (rc == 0 && (options->mtu & (options->mtu - 1) || (options->mtu && options->mtu < 256)))
        rc = weir_error_usage(error, "rdma",
                              "--rdma.mtu: verbs know 256, 512, 1024, 2048 and 4096 bytes");
    if (rc == 0 && options->timeout_ns == 0)
        rc = weir_error_usage(error, "rdma",
                              "--rdma.timeout: no server answers within 0 seconds: give it some");
    return rc;
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
        rc = check_provider(options, error);
    if (rc == 0)
        rc = check_numbers(options, error);
    if (rc == 0 && !weir_rdma_has_hosts(options) && !options->back &&
        weir_rdma_flush(options) == WEIR_FLUSH_STORAGE)
        rc = weir_error_usage(error, "rdma",
                              "--rdma.flush storage: there is nothing behind the memory of the "
                              "servers: add --rdma.back FILE, or leave it out");
    return rc;
}

/* ---- what they mean below ---- */

static unsigned index_of(const char *word, const char *const words[])
{
    for (unsigned i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

enum weir_object_mode weir_rdma_mode(const struct weir_rdma_options *options)
{
    static const char *const words[] = {"onesided", "pull", "send", NULL};

    return (enum weir_object_mode)index_of(options->mode, words);
}

enum weir_object_flush weir_rdma_flush(const struct weir_rdma_options *options)
{
    static const char *const words[] = {"best", "accepted", "visible", "storage", NULL};

    return (enum weir_object_flush)index_of(options->flush, words);
}

struct weir_fabric_params weir_rdma_fabric_params(const struct weir_rdma_options *options,
                                                  const unsigned char *secret)
{
    return (struct weir_fabric_params){
        .provider = options->provider,
        .device = options->device,
        .interface = options->interface,
        .gid_index = (int)options->gid,
        .wireup = weir_wireup_of(options->wireup),
        .pairs = (unsigned)options->pairs,
        .signal_every = (unsigned)options->signal_every,
        .mtu_bytes = (unsigned)options->mtu,
        .read_depth = (unsigned)options->read_depth,
        .spin_ns = options->spin_ns ? options->spin_ns : 1,
        .timeout_ns = options->timeout_ns,
        .secret = secret,
    };
}

/* ---- servers that run already ---- */

struct host_list {
    struct weir_arena *arena;
    const char **addresses;
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
    list->addresses[list->count++] = weir_arena_printf(list->arena, "%.*s", (int)length, word);
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
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int rc = 0;

    if (!file)
        return weir_error_set(error, WEIR_EXIT_USAGE, -errno, "rdma", "--rdma.hosts-file: %s: %s",
                              path, strerror(errno));
    while (rc == 0 && (length = getline(&line, &capacity, file)) >= 0)
        rc = add_host(list, path, line, strcspn(line, "#"), error);
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
    rc = options->hosts ? read_list(&list, options->hosts, error)
                        : read_file(&list, options->hosts_file, error);
    if (rc == 0 && list.count == 0)
        rc = weir_error_usage(error, "rdma", "%s names no server: give it lines of HOST:PORT",
                              options->hosts ? "--rdma.hosts" : options->hosts_file);
    if (rc < 0)
        return rc;
    *addresses = list.addresses;
    *count = list.count;
    return 0;
}
