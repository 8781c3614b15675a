/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one rank through a program: its state, and what the files of the walk need of each
 * other. */
#ifndef WEIR_ENGINE_PROGRAM_H
#define WEIR_ENGINE_PROGRAM_H

#include "pace.h"
#include "run.h"

#include "weir/plan/program.h"

struct weir_program_frame; /* program_walk.c */
struct weir_program_times; /* program_times.h */
struct weir_program_files; /* program_files.c */

/* A group of the program, or all ranks (the last entry). */
struct weir_program_ranks {
    struct weir_group *group; /* of its own, for messages of the walk alone; NULL: this rank is none
                                 of its members */
    uint64_t first;           /* number of its first rank among all ranks of the test */
    uint64_t common_count;    /* of $$crand */
    bool has_left;            /* this rank sends the others no more messages, and told them so */
    uint64_t left;            /* neighbours that did the same: see program_wait.c */
};

struct weir_program_walk {
    struct weir_run *run;
    const struct weir_phase *phase;
    const struct weir_program *program;
    struct weir_scope scope;
    struct weir_value *values;         /* one of each variable */
    struct weir_program_ranks *groups; /* program->group_count + 1 */
    unsigned innermost;                /* position in `groups` of the group around the statement */
    struct weir_program_frame *frames; /* program->nesting + 1 */
    unsigned height;
    struct weir_program_times *times;
    struct weir_program_files *files;
    uint64_t statement_count;
    unsigned line_number;      /* of the latest statement that may take long */
    uint64_t failure_count;    /* failed calls of this rank */
    bool must_end;             /* error, limit of failures, time limit, signal, alarm */
    struct weir_error error;   /* of the program itself; not that of a call */
    uint64_t begun_ns;         /* on this node's clock, as all times here */
    uint64_t deadline_ns;      /* of the whole program; UINT64_MAX: none */
    uint64_t look_ns;          /* when weir_program_look is due */
    struct weir_pacer pacer;   /* if the phase has a rate */
    uint64_t due_ns;           /* then: of the present call */
    struct weir_text line;     /* that is printed */
    struct weir_text warnings; /* of the map of groups */
};

/* ---- program_walk.c ---- */

/* Of walk->frames, for a program. */
size_t weir_program_frames_bytes(const struct weir_program *program);

/* Goes through all statements, until the end or until walk->must_end. */
void weir_program_go(struct weir_program_walk *walk);

/* Ends the program on all ranks: notes the sentence behind "FILE:LINE: " in walk->error, if it is
 * the first, raises the alarm. Returns -ECANCELED. */
int weir_program_fail(struct weir_program_walk *walk, const struct weir_statement *statement,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Looks whether the program is to end: because of a signal, an alarm, or the time limit, which is
 * noted. Publishes what was done, and that this rank moves. Now and then: from walk->look_ns on. */
void weir_program_look(struct weir_program_walk *walk, uint64_t now_ns);
/* Whether it is due. */
static inline bool weir_program_must_look(const struct weir_program_walk *walk, uint64_t now_ns)
{
    return now_ns >= walk->look_ns || weir_run_must_stop(walk->run);
}

/* Sleeps, and looks meanwhile. */
void weir_program_sleep(struct weir_program_walk *walk, uint64_t until_ns);

/* Position in walk->groups of what a statement calls `group`. */
static inline unsigned weir_program_group(const struct weir_program_walk *walk, unsigned group)
{
    if (group == WEIR_INNERMOST)
        return walk->innermost;
    return group == WEIR_ALL_RANKS ? walk->program->group_count : group;
}

/* ---- program_wait.c ---- */

/* Opens walk->groups. Collective over run->group; 0 or -errno, the same on all ranks. And closes
 * them: messages of those that did not wait for each other any more are received first. */
int weir_program_groups_open(struct weir_program_walk *walk, struct weir_error *error);
void weir_program_groups_close(struct weir_program_walk *walk);

/* All ranks of a group wait for one another at a statement (NULL: the end of the program), or give
 * up when the run is to end. Not 0: it is not to go on: the run ends (walk->must_end), or another
 * rank waits at another statement (weir_program_fail was called). */
int weir_program_meet(struct weir_program_walk *walk, unsigned group,
                      const struct weir_statement *statement);

/* The same, and the value of the first rank is that of all. */
int weir_program_share(struct weir_program_walk *walk, unsigned group,
                       const struct weir_statement *statement, uint64_t *value);

/* ---- program_times.c ---- */

/* One call that was made, or tried. */
struct weir_program_outcome {
    enum weir_call call;
    uint64_t begin_ns; /* on this node's clock: of the system call that counts */
    uint64_t end_ns;
    uint64_t bytes;
    uint64_t offset;  /* of data */
    uint64_t asked;   /* bytes */
    int code;         /* 0, or -errno: it failed; -ENODATA: the file ended before all was read */
    const char *path; /* "" if there is none */
};

int weir_program_times_open(struct weir_program_walk *walk);
void weir_program_times_close(struct weir_program_walk *walk);

/* A timed block begins, and the innermost one ends: on the clock of the node, as of now. Not 0: its
 * label is none (weir_program_fail was called). */
int weir_program_time_begin(struct weir_program_walk *walk, const struct weir_statement *statement);
void weir_program_time_end(struct weir_program_walk *walk);

/* Counts it, in all labels around it, in the tally of the phase and in the failures, of which the
 * first ones are told. Ends the run if the limit of failures is reached. */
void weir_program_note(struct weir_program_walk *walk, const struct weir_statement *statement,
                       const struct weir_program_outcome *outcome);
/* The same for what a call by name does beside what it is timed for: that is in the table of calls
 * alone. */
void weir_program_note_beside(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              const struct weir_program_outcome *outcome);

/* Tells of the first wrong data that a line has read; the tally has counted them. */
void weir_program_tell_wrong(struct weir_program_walk *walk, const struct weir_statement *statement,
                             const char *path, uint64_t offset);

/* ---- program_calls.c ---- */

/* Buffers, session for patterns, handles: before the start. Collective. And releases them, with
 * files that are still open: those of this rank alone are closed, those opened with others are
 * closed with them if all ranks have come to the end (`is_complete`), else abandoned. */
int weir_program_calls_open(struct weir_program_walk *walk, struct weir_error *error);
void weir_program_calls_close(struct weir_program_walk *walk, bool is_complete);

/* Does one call, which is noted. Not 0: the program is not to go on (weir_program_fail was called,
 * or walk->must_end is set); a call that fails is none. */
int weir_program_call(struct weir_program_walk *walk, const struct weir_statement *statement);

#endif
