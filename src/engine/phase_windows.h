/* SPDX-License-Identifier: Apache-2.0 */
/* A phase that moves data, and the three windows of it that are timed: open, move, close. */
#ifndef WEIR_ENGINE_PHASE_WINDOWS_H
#define WEIR_ENGINE_PHASE_WINDOWS_H

#include "gather.h"
#include "loop.h"
#include "trials.h"

struct weir_data_phase {
    struct weir_run *run;
    const struct weir_phase *phase;
    const struct weir_target *target;
    char path[WEIR_PATH_BYTES];
    uint64_t owner; /* the rank whose part this rank takes */
    struct weir_share share;
    struct weir_source source;
    struct weir_op_state *op_states;
    struct weir_op_log log;
    /* what the file must be when it is opened: see claim.h */
    enum weir_claim claim;
    struct weir_file_id id;
    bool must_create;
    struct weir_file *file;
    bool is_void;   /* some rank could not open a file that all need: no rank moves data */
    int open_error; /* why this rank could not; 0: others could not, or it has not been tried */
    struct weir_loop loop;
    struct weir_phase_facts facts;
    struct weir_trials trials; /* of depths */
};

/* Only writes make files: a mixed phase finds its own, and a device is there before and after. */
static inline bool weir_phase_makes_file(const struct weir_data_phase *data)
{
    return weir_verb_makes_files(data->phase->verb) && !data->target->is_device;
}

/* True if the time of the transfers includes a sync of what they wrote. */
bool weir_phase_syncs_in_time(const struct weir_data_phase *data);

/* It makes one, and this rank may remove what is there by that name. */
bool weir_phase_handles_made_file(const struct weir_data_phase *data);

/* Before each time that data are moved: every window of the buffers that the transfers will need
 * gets its filler, and no slot remembers anything. 0 or -ENOMEM. */
int weir_phase_init_buffers(struct weir_data_phase *data);

/* Before the start: where ranks open a file together, may all of them? If not, that is a failure of
 * the phase, and data->is_void. Collective. */
void weir_phase_try_to_open(struct weir_data_phase *data);

/* A failure is counted; data->file is NULL then. */
void weir_phase_open_file(struct weir_data_phase *data);
void weir_phase_close_file(struct weir_data_phase *data);
/* Closes the file that the phase before has left open, where the next one is not done; nothing if
 * there is none. A failure is run->late_error. Collective where the file is. */
void weir_phase_close_left_file(struct weir_run *run);
/* Makes data->loop ready for weir_loop_run. */
void weir_phase_prepare_loop(struct weir_data_phase *data);

/* Opens, moves and closes, with all stamps. 0, or -errno if ranks could not agree. Collective. */
int weir_phase_pass_windows(struct weir_data_phase *data);

#endif
