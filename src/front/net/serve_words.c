/* SPDX-License-Identifier: Apache-2.0 */
/* The words of weir serve: what a server of objects is made of, and when it ends. */
#include "serve_words.h"

#include "command_words.h"

#include <errno.h>
#include <string.h>

struct serve_values {
    struct weir_serve_request request;
    bool help;
};

#define AT(member) WEIR_OPTION_AT(struct serve_values, member)

static const struct weir_option serve_rows[] = {
    {0, "secret-file", WEIR_OPTION_TEXT, AT(request.secret_path),
     .help = "file with the secret that clients must know (16 bytes or more; readable for its "
             "owner alone); it must be given"},
    {0, "listen", WEIR_OPTION_TEXT, AT(request.listen),
     .help = "HOST:PORT, or HOST, where clients come in; if not given, the address of the "
             "interface, and any port"},
    {0, "provider", WEIR_OPTION_CHOICE, AT(request.provider), NULL, "verbs|tcp|shm",
     .help = "network to serve over; if not given, verbs where there is an RDMA device, else tcp"},
    {0, "device", WEIR_OPTION_TEXT, AT(request.device),
     .help = "RDMA device of verbs, such as mlx5_0 or mlx5_0/1; if not given, the first whose port "
             "is up"},
    {0, "interface", WEIR_OPTION_TEXT, AT(request.interface),
     .help = "network device, or its IP address, to be reached at"},
    {0, "gid", WEIR_OPTION_INTEGER, AT(request.gid_index), "-1",
     .help = "entry of the port's GID table that verbs use; -1: chosen", .least = -1, .most = 255},
    {0, "service-level", WEIR_OPTION_COUNT, AT(request.service_level),
     .help = "verbs: service level of packets: the virtual lane, or the priority of a VLAN",
     .most = 15},
    {0, "traffic-class", WEIR_OPTION_COUNT, AT(request.traffic_class),
     .help = "verbs: traffic class of packets: of RoCE v2, DSCP times 4, by which switches choose "
             "their lossless queue",
     .most = 255},
    {0, "pkey", WEIR_OPTION_COUNT, AT(request.pkey_index),
     .help = "verbs: index into the P_Key table of the port", .most = 65535},
    {0, "capacity", WEIR_OPTION_SIZE, AT(request.capacity_bytes), "1g",
     .help = "memory for objects; it is taken at once, and what is more is refused (ENOSPC)",
     .least = INT64_C(1) << 20, .most = INT64_C(1) << 50},
    {0, "huge-pages", WEIR_OPTION_FLAG, AT(request.needs_huge_pages),
     .help = "end if the reserved huge pages, which are taken first, do not suffice"},
    {0, "back", WEIR_OPTION_TEXT, AT(request.backing_path),
     .help = "file or block device that fsync writes objects to; %d in it becomes the rank"},
    {0, "advertise", WEIR_OPTION_TEXT, AT(request.advert_path),
     .help = "add a line with the address to this file, and take it out at the end: clients read "
             "it by --rdma.hosts-file"},
    {0, "clients", WEIR_OPTION_COUNT, AT(request.client_limit), "1024",
     .help = "clients at once; more are turned away", .least = 1, .most = 65536},
    {0, "idle", WEIR_OPTION_SECONDS, AT(request.idle_ns),
     .help = "end after so many seconds without a client; 0: never"},
    {0, "once", WEIR_OPTION_FLAG, AT(request.is_once), .help = "end when the last client has left"},
    {0, "spin", WEIR_OPTION_MICROSECONDS, AT(request.spin_ns),
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

/* An option of verbs implies the provider verbs: TCP would ignore it where there is no device. With
 * another provider nothing would come of it. */
static int settle_provider(struct serve_values *values, const char *place, struct weir_error *error)
{
    static const char *const of_verbs[] = {"device",        "gid",  "service-level",
                                           "traffic-class", "pkey", NULL};
    const char *option = weir_options_find_changed(serve_rows, values, of_verbs);
    const char **provider = &values->request.provider;

    if (option && !*provider)
        *provider = "verbs";
    if (!option || strcmp(*provider, "verbs") == 0)
        return 0;
    return weir_error_usage(error, place,
                            "--%s: only verbs has that, and this is --provider %s; leave one of "
                            "the two out",
                            option, *provider);
}

int weir_serve_words_read(int count, const char *const words[], struct weir_command *command,
                          struct weir_error *error)
{
    const struct weir_command_words serve_words = {"serve", &serve_set, serve_usage, NULL};
    struct serve_values values;

    if (weir_command_words_read(&serve_words, count, words, &values, &command->arena, command,
                                error))
        return -EINVAL;
    if (values.help)
        return 0;
    if (!values.request.secret_path)
        return weir_error_usage(error, serve_words.place,
                                "--secret-file is missing: clients must prove a secret before they "
                                "see anything; make one by head -c 32 /dev/urandom | base64 >FILE, "
                                "and chmod 600 FILE");
    if (settle_provider(&values, serve_words.place, error))
        return -EINVAL;
    command->kind = WEIR_COMMAND_SERVE;
    command->serve = values.request;
    return 0;
}
