/* SPDX-License-Identifier: Apache-2.0 */
/* Front ends: the words that users already know, turned into a plan. */
#ifndef WEIR_FRONT_FRONT_H
#define WEIR_FRONT_FRONT_H

#include "weir/base/arena.h"
#include "weir/base/compare_request.h"
#include "weir/base/descriptor.h"
#include "weir/base/error.h"
#include "weir/base/export_request.h"
#include "weir/base/text.h"
#include "weir/flows/plan.h"
#include "weir/plan/plan.h"

#include <stddef.h>

/* The backends that were built, as far as front ends may know them. */
struct weir_backends {
    const struct weir_descriptor *const *descriptors;
    size_t count;
    /* "name: reason" of backends that were not built, NULL-terminated; NULL: there are none */
    const char *const *left_out;
};

enum weir_command_kind {
    WEIR_COMMAND_RUN,         /* run `plan` */
    WEIR_COMMAND_EXPLAIN,     /* print `plan` */
    WEIR_COMMAND_SAY,         /* print `text` */
    WEIR_COMMAND_BACKENDS,    /* list the backends */
    WEIR_COMMAND_REPORT,      /* print the report of a result file */
    WEIR_COMMAND_COMPARE,     /* compare runs of result files */
    WEIR_COMMAND_EXPORT,      /* import runs of result files into a database */
    WEIR_COMMAND_DOCTOR,      /* say what this host can do */
    WEIR_COMMAND_TOPOLOGY,    /* draw which processors ranks would get */
    WEIR_COMMAND_NET,         /* run `net` */
    WEIR_COMMAND_NET_EXPLAIN, /* print `net` */
    WEIR_COMMAND_SERVE        /* serve objects as `serve` says */
};

/* The request of `weir serve`. Zero is a default. */
struct weir_serve_request {
    const char *provider;
    const char *device;
    const char *interface;
    int gid_index;           /* -1: chosen */
    const char *listen;      /* "HOST:PORT"; NULL: the interface's address, any port */
    const char *secret_path; /* never NULL */
    const char *advert_path; /* a line with the address is added to this file; NULL */
    const char *backing_path;
    uint64_t capacity_bytes;
    uint64_t idle_ns; /* ends after so long without a client; 0: never */
    uint64_t spin_ns;
    unsigned service_level, traffic_class, pkey_index;
    unsigned client_limit;
    bool needs_huge_pages;
    bool is_once; /* ends when the last client has left */
};

/* The request of `weir doctor` and `weir topology`. */
struct weir_host_question {
    const char *path;      /* a directory, file or device to look at; NULL */
    const char *xml_path;  /* topology of another host; NULL */
    const char *synthetic; /* the same as a text; NULL */
    const char *allowed; /* processors that the launcher would leave to all ranks; NULL: as it is */
    unsigned rank_count; /* on this node */
    const char *format;  /* DOCTOR: "text" or "json" */
    struct weir_pinning pinning;
};

/* The request of `weir report`. */
struct weir_report_request {
    const char *run;          /* last, all, list, a number, an id */
    const char *format;       /* a word of the run's dialect; NULL: its first */
    const char *picture;      /* a name, or "list"; NULL: none */
    const char *compat;       /* a version of what the dialect imitates; NULL: as the run had it */
    const char *summary_path; /* NULL: standard output */
    bool is_replaced;         /* a new file takes the place of summary_path, as --output says */
    struct weir_redact_request redact;
    const char *expect; /* conditions in place of those of the run; NULL: none */
    bool allows_unverified;
    const char *label; /* of the runs to print; NULL: any */
    const char *test;  /* number of the test to print; NULL: all */
    bool is_plain;
    bool has_details;
};

struct weir_command {
    enum weir_command_kind kind;
    const char *dialect;    /* that of the options on the command line; set for errors, too */
    struct weir_plan *plan; /* RUN, EXPLAIN; frozen */
    struct weir_text text;  /* SAY */
    const char *const *result_paths; /* REPORT: words of argv */
    unsigned result_path_count;
    struct weir_report_request report;   /* REPORT */
    struct weir_output output;           /* REPORT: of a run of `dialect` */
    struct weir_compare_request compare; /* COMPARE */
    struct weir_export_request export;   /* EXPORT */
    struct weir_host_question question;  /* DOCTOR, TOPOLOGY */
    struct weir_net_plan *net;           /* NET, NET_EXPLAIN; owned */
    struct weir_serve_request serve;     /* SERVE */
    struct weir_arena arena;             /* owns what `report` and `output` point to */
};

/* Chooses the dialect by argv[0] (a link named "ior") or by the first word ("weir ior -a POSIX");
 * options alone are those of the first dialect, ior. 0, or a usage error. */
int weir_front_read(int argc, const char *const argv[], const struct weir_backends *backends,
                    struct weir_command *command, struct weir_error *error);

/* Sets how a run of a dialect is printed again: reporter, file and, if --compat is given, style of
 * `output`. 0, or a usage error: the dialect has no such format, or is none of this version. */
int weir_front_choose_reporter(const char *dialect, const struct weir_report_request *request,
                               struct weir_output *output, struct weir_error *error);

/* True if the request is for a page or a picture, which runs of all dialects have. */
bool weir_front_is_drawn(const struct weir_report_request *request);

/* The reporter of figures as data that this word of --format names for all dialects, and weir net;
 * NULL: it names none. */
const char *weir_front_data_format(const char *word);

void weir_command_close(struct weir_command *command);

#endif
