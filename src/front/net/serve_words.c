/* SPDX-License-Identifier: Apache-2.0 */
/* The words of weir serve: what a server of objects is made of, and when it ends. */
#include "serve_words.h"

#include "weir/base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Below this a server could not hold a single chunk of an object. */
#define CAPACITY_MIN (INT64_C(1) << 20)
#define CLIENTS_MAX 65536
/* Tables of GIDs have 256 entries at most. */
#define GID_MAX 255
#define PAIRS_MAX 64

struct serve_values {
    const char *listen;
    const char *secret_path;
    const char *provider;
    const char *device;
    const char *interface;
    int64_t gid_index;
    const char *wireup;
    int64_t pairs;
    int64_t capacity_bytes;
    int64_t wants_huge_pages;
    const char *backing_path;
    const char *advert_path;
    int64_t clients;
    uint64_t idle_ns;
    int64_t is_once;
    uint64_t spin_ns;
    int64_t help;
};

#define AT(member) offsetof(struct serve_values, member)

static const struct weir_option serve_rows[] = {
    {0, "secret-file", WEIR_OPTION_TEXT, AT(secret_path),
     .help = "file with the secret that clients must know (16 bytes or more; readable for its "
             "owner alone); it must be given"},
    {0, "listen", WEIR_OPTION_TEXT, AT(listen),
     .help = "HOST:PORT, or HOST, where clients come in; if not given, the address of the "
             "interface, and any port"},
    {0, "provider", WEIR_OPTION_CHOICE, AT(provider), NULL, "verbs|tcp|shm",
     .help = "network to serve over; if not given, verbs where there is an RDMA device, else tcp"},
    {0, "device", WEIR_OPTION_TEXT, AT(device),
     .help = "RDMA device of verbs, such as mlx5_0 or mlx5_0/1; if not given, the first whose port "
             "is up"},
    {0, "interface", WEIR_OPTION_TEXT, AT(interface),
     .help = "network device, or its IP address, to be reached at"},
    {0, "gid", WEIR_OPTION_INTEGER, AT(gid_index), "-1",
     .help = "entry of the port's GID table that verbs use; -1: chosen"},
    {0, "wireup", WEIR_OPTION_CHOICE, AT(wireup), "auto", "auto|socket|cm",
     .help = "how queue pairs of verbs find each other: over the socket, or by rdma_cm"},
    {0, "pairs", WEIR_OPTION_COUNT, AT(pairs), "1",
     .help = "queue pairs (verbs) or streams (tcp) of a link; as many as clients ask for with "
             "--rdma.pairs"},
    {0, "capacity", WEIR_OPTION_SIZE, AT(capacity_bytes), "1g",
     .help = "memory for objects; it is taken at once, and what is more is refused (ENOSPC)"},
    {0, "huge-pages", WEIR_OPTION_FLAG, AT(wants_huge_pages),
     .help = "take it from the reserved huge pages, where there are enough"},
    {0, "back", WEIR_OPTION_TEXT, AT(backing_path),
     .help = "file or block device that fsync writes objects to; %d in it becomes the rank"},
    {0, "advertise", WEIR_OPTION_TEXT, AT(advert_path),
     .help = "add a line with the address to this file, and take it out at the end: clients read "
             "it by --rdma.hosts-file"},
    {0, "clients", WEIR_OPTION_COUNT, AT(clients), "1024",
     .help = "clients at once; more are turned away"},
    {0, "idle", WEIR_OPTION_SECONDS, AT(idle_ns),
     .help = "end after so many seconds without a client; 0: never"},
    {0, "once", WEIR_OPTION_FLAG, AT(is_once), .help = "end when the last client has left"},
    {0, "spin", WEIR_OPTION_MICROSECONDS, AT(spin_ns),
     .help = "watch for so many microseconds before sleeping; 0: 50"},
    {'h', "help", WEIR_OPTION_FLAG, AT(help), .help = "print this, and stop"},
    {0},
};
static const struct weir_option_set serve_set = {"serve", serve_rows, sizeof(struct serve_values)};

static const char serve_usage[] =
    "Usage: weir serve --secret-file FILE [OPTION...]\n\n"
    "Serves named objects in the memory of this host to weir ior -a RDMA --rdma.hosts HOST:PORT,\n"
    "until SIGTERM or SIGINT. Its first line has its address. Under srun or\n"
    "mpiexec each rank is a server by itself; MPI is not used.\n\n"
    "Example\n"
    "  head -c 32 /dev/urandom | base64 >secret && chmod 600 secret\n"
    "  srun -N 4 --ntasks-per-node=1 weir serve --secret-file secret --capacity 64g --advertise "
    "servers &\n"
    "  srun -n 32 weir ior -a RDMA --rdma.hosts-file servers --rdma.secret-file secret -t 1m -b 1g "
    "-o /f\n";

static int check_numbers(const struct serve_values *values, const char *place,
                         struct weir_error *error)
{
    if (values->capacity_bytes < CAPACITY_MIN)
        return weir_error_usage(error, place,
                                "--capacity: objects take 1 MiB at least, and this is %" PRId64
                                " bytes; give 1m or more",
                                values->capacity_bytes);
    if (values->clients < 1 || values->clients > CLIENTS_MAX)
        return weir_error_usage(error, place, "--clients: %" PRId64 " is not between 1 and %d",
                                values->clients, CLIENTS_MAX);
    if (values->gid_index < -1 || values->gid_index > GID_MAX)
        return weir_error_usage(error, place,
                                "--gid: %" PRId64 " is no entry of a GID table: give 0 to %d, or "
                                "leave it out",
                                values->gid_index, GID_MAX);
    if (values->pairs < 1 || values->pairs > PAIRS_MAX)
        return weir_error_usage(error, place, "--pairs: %" PRId64 " is not between 1 and %d",
                                values->pairs, PAIRS_MAX);
    return 0;
}

/* The first given option that only verbs has; NULL: none is. */
static const char *find_verbs_option(const struct serve_values *values)
{
    if (values->device)
        return "device";
    if (values->gid_index >= 0)
        return "gid";
    return strcmp(values->wireup, "auto") != 0 ? "wireup" : NULL;
}

/* Words that nothing would come of. */
static int check_verbs_words(const struct serve_values *values, const char *place,
                             struct weir_error *error)
{
    const char *option = find_verbs_option(values);

    if (!option || !values->provider || strcmp(values->provider, "verbs") == 0)
        return 0;
    return weir_error_usage(
        error, place,
        "--%s: only verbs has that, and this is --provider %s; leave one of the "
        "two out",
        option, values->provider);
}

/* An option of verbs implies the provider verbs: TCP would ignore it where there is no device. */
static const char *provider_of(const struct serve_values *values)
{
    return !values->provider && find_verbs_option(values) ? "verbs" : values->provider;
}

static int check(const struct serve_values *values, const char *place, struct weir_error *error)
{
    if (!values->secret_path)
        return weir_error_usage(error, place,
                                "--secret-file is missing: clients must prove a secret before they "
                                "see anything; make one by head -c 32 /dev/urandom | base64 >FILE, "
                                "and chmod 600 FILE");
    if (check_numbers(values, place, error) != 0)
        return -EINVAL;
    return check_verbs_words(values, place, error);
}

int weir_serve_words_read(int count, const char *const words[], struct weir_command *command,
                          struct weir_error *error)
{
    struct serve_values values;
    const struct weir_option_binding binding = {&serve_set, &values};
    const struct weir_option_parser parser = {
        .place = "serve", .arena = &command->arena, .bindings = &binding, .binding_count = 1};

    weir_options_reset(&parser);
    if (weir_options_parse(&parser, count, words, error))
        return -EINVAL;
    if (values.help) {
        command->kind = WEIR_COMMAND_SAY;
        weir_text_add(&command->text, "%s", serve_usage);
        weir_options_help(&command->text, &serve_set);
        return 0;
    }
    if (check(&values, parser.place, error))
        return -EINVAL;
    command->kind = WEIR_COMMAND_SERVE;
    command->serve = (struct weir_serve_request){
        .provider = provider_of(&values),
        .device = values.device,
        .interface = values.interface,
        .gid_index = (int)values.gid_index,
        .wireup = values.wireup,
        .listen = values.listen,
        .secret_path = values.secret_path,
        .advert_path = values.advert_path,
        .backing_path = values.backing_path,
        .capacity_bytes = (uint64_t)values.capacity_bytes,
        .idle_ns = values.idle_ns,
        .spin_ns = values.spin_ns,
        .pairs = (unsigned)values.pairs,
        .client_limit = (unsigned)values.clients,
        .wants_huge_pages = values.wants_huge_pages != 0,
        .is_once = values.is_once != 0,
    };
    return 0;
}
