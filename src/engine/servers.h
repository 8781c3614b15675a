/* SPDX-License-Identifier: Apache-2.0 */
/* Servers in this job: which ranks serve and which are clients, and what is open from the first
 * test that wants servers until the end of the run, so that data outlive a test. */
#ifndef WEIR_ENGINE_SERVERS_H
#define WEIR_ENGINE_SERVERS_H

#include "weir/engine/engine.h"

/* Of all tests. */
struct weir_servers {
    struct weir_group *group;           /* all ranks of the run */
    unsigned *roles;                    /* of each rank in the present test, of enum weir_role */
    int client_end;                     /* ranks from here on are no clients of that test */
    unsigned *serving_roles;            /* those that the servers were opened for */
    const struct weir_backend *backend; /* whose servers are open; NULL: none are */
    const void *options;                /* theirs */
    struct weir_server *mine;           /* of this rank; NULL: it does not serve */
    unsigned count;
    char (*addresses)[WEIR_SERVER_ADDRESS_BYTES]; /* of each server, in the order of ranks */
    const char **address_list;
    unsigned char secret[WEIR_JOB_SECRET_BYTES];
};

/* Before the first test. 0, or the error. Collective. */
int weir_servers_open(struct weir_servers *servers, struct weir_group *group,
                      struct weir_error *error);

/* Sees to it that the servers are there that the test wants: those of an earlier test if they do,
 * else new ones, and then what the old ones held is gone. Tests without servers leave them alone.
 * 0, or the error, the same on all ranks. Collective. */
int weir_servers_prepare(struct weir_servers *servers, const struct weir_engine_params *params,
                         const struct weir_test *test, struct weir_error *error);

/* True if the rank takes part in the test that was prepared: a client, and one of the first
 * `rank_limit` of them if that is not 0. Servers are not counted. */
bool weir_servers_is_client(const struct weir_servers *servers, int rank);

/* Gives a session of the test the addresses of the servers; none if the job has none for it. */
void weir_servers_fill_params(const struct weir_servers *servers,
                              struct weir_session_params *params);

/* Where ranks sit a test out, they sleep until rank 0 lets them go on, and do not take the
 * processor from the server that works in them, or from others. 0 or -errno. */
/* A signal that this rank receives meanwhile raises the alarm in the group of all ranks. */
int weir_servers_wait(const struct weir_servers *servers, const volatile sig_atomic_t *stop_signal);
int weir_servers_end_wait(const struct weir_servers *servers);

/* All sessions must be closed on this rank. Collective. */
void weir_servers_close(struct weir_servers *servers);

#endif
