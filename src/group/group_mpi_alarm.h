/* SPDX-License-Identifier: Apache-2.0 */
/* One word from any rank to all: it travels along a tree, from rank to rank as each looks for it.
 */
#ifndef WEIR_GROUP_GROUP_MPI_ALARM_H
#define WEIR_GROUP_GROUP_MPI_ALARM_H

#include <mpi.h>
#include <stdbool.h>

/* Children of a rank in the tree: from one leaf of 100000 ranks to another it is nine hops. */
#define WEIR_ALARM_CHILDREN 16
/* Its parent is number 0. */
#define WEIR_ALARM_NEIGHBOURS (WEIR_ALARM_CHILDREN + 1)

/* Over the life of one alarm, each neighbour gets one message, and sends one. All zero: no alarm.
 */
struct weir_mpi_alarm {
    bool is_raised; /* here, or heard */
    bool has_sent[WEIR_ALARM_NEIGHBOURS];
    bool has_received[WEIR_ALARM_NEIGHBOURS];
    MPI_Request requests[WEIR_ALARM_NEIGHBOURS]; /* valid where it was sent */
};

/* `tag` tells alarms of different meaning from each other. Both return at once. */
void weir_mpi_alarm_raise(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag);
bool weir_mpi_alarm_hears(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag);

/* When all ranks know that the time of the alarm is over, whether one was raised or not: no message
 * is left on its way, and another one can be raised. 0 or -errno. Collective. */
int weir_mpi_alarm_end(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag);

#endif
