/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a program's calls need of each other: names, data, handles, patterns. */
#ifndef WEIR_ENGINE_PROGRAM_CALLS_H
#define WEIR_ENGINE_PROGRAM_CALLS_H

#include "program.h"

/* The first piece of a large call, which has no rate yet: a second at 8 MB/s. The shortest one, and
 * the time that a piece is to take: as many pieces are made of a call as this needs. */
#define WEIR_CALL_PIECE_FIRST (UINT64_C(8) << 20)
#define WEIR_CALL_PIECE_LEAST (UINT64_C(1) << 20)
#define WEIR_CALL_PIECE_NS UINT64_C(250000000)

/* The mode of files, less the umask, and the flags of opens that make or empty one. */
#define WEIR_CALL_FILE_MODE 0666
#define WEIR_CALL_OPENS_ANEW (WEIR_OPEN_WRITE | WEIR_OPEN_CREATE | WEIR_OPEN_TRUNCATE)

/* Calls that open the file names[0] are those below. */
#define WEIR_CALLS_OPENING (WEIR_CALL_CREATE + 1)

struct weir_program_opening {
    struct weir_name_request request;
    struct weir_file_params params;
};

struct weir_program_handle {
    struct weir_file *file; /* NULL: its open was skipped */
    char *path;             /* as typed */
    uint64_t number;        /* 0: not in use; counts opens, so that a stale variable is seen */
    unsigned next;          /* of those that are not in use */
    uint64_t position;      /* that goes on from call to call */
    uint64_t file_number;   /* of what is verified */
    bool is_at_end;         /* it is where the latest append has ended */
    bool appends;
    bool is_pattern; /* of pfopen, by the ranks of `group` */
    unsigned group;
};

/* Owned by the walk. The buffers hold one call, or WEIR_CALL_PIECE_BYTES of it, or one transfer of
 * a pattern. */
struct weir_program_files {
    unsigned calls;               /* of the program: a bit for each */
    struct weir_buffers to_write; /* '0' all over, where nothing is to be verified */
    struct weir_buffers to_read;
    struct weir_program_handle *handles;
    uint64_t piece_bytes; /* of large calls: grows and shrinks with their rate */
    unsigned handle_room;
    unsigned first_idle;  /* `handle_room`: none is */
    uint64_t open_count;  /* of handles, so far */
    uint64_t seed;        /* of what is verified, ... */
    bool has_one_name;    /* ... in which files are not told apart: they may change their names */
    bool has_told_limit;  /* of open files, ... */
    bool has_told_direct; /* ... and what direct transfers are multiples of */
    char *directory;      /* of this process, clean; "" is the root */
    bool is_inside;       /* it is in a root */
    char *clean_name;     /* room for two paths */
    const char *root;     /* that a name was compared with last, or NULL; ... */
    size_t root_bytes;    /* ... and its length, of / 0 */
    char names[2][WEIR_VALUE_BYTES];  /* of the present call, as typed */
    char data_name[WEIR_VALUE_BYTES]; /* of the first call by name that moves data; "" = none yet */
    struct weir_op op;                /* of the present call */
    struct weir_name_request request; /* likewise, if it opens nothing */
    struct weir_program_opening openings[WEIR_CALLS_OPENING]; /* by call, of names[0] */
    struct weir_program_opening opening;                      /* of the present fopen */
    struct weir_session *pattern_session; /* NULL: the program has no patterns */
    struct weir_queue pattern_queue;
};

/* ---- program_names.c ---- */

int weir_program_names_open(struct weir_program_walk *walk);
void weir_program_names_close(struct weir_program_walk *walk);

/* Arguments are at the places that weir_calls gives them, names first. NULL: it was left out. */
static inline const struct weir_expr *weir_program_argument(const struct weir_statement *statement,
                                                            unsigned place)
{
    return place < statement->argument_count ? statement->arguments[place] : NULL;
}

/* Sets files->names[place] to the name there, which is inside of the roots. 0, or the program ends.
 */
int weir_program_name(struct weir_program_walk *walk, const struct weir_statement *statement,
                      unsigned place);

/* Likewise an integer of at least `least`; `value` is left as it is where it was left out. */
int weir_program_integer(struct weir_program_walk *walk, const struct weir_statement *statement,
                         unsigned place, int64_t least, int64_t *value);

/* A number of the file, the same on all ranks, whatever way its name is written. */
uint64_t weir_program_file_number(struct weir_program_files *files, const char *name);

/* ---- program_data.c ---- */

/* How large a buffer of `room` bytes becomes that is to hold `bytes`: twice its size, so that sizes
 * that grow do not ask each time, but no more than one piece of a call. */
uint64_t weir_program_buffer_bytes(uint64_t room, uint64_t bytes);

/* At least as much of a buffer, outside of what is timed. NULL: the program ends. */
unsigned char *weir_program_buffer(struct weir_program_walk *walk,
                                   const struct weir_statement *statement,
                                   struct weir_buffers *buffers, uint64_t bytes);

/* Data as they belong to the place of a file: the same whatever call has written them. */
void weir_program_fill(struct weir_program_walk *walk, uint64_t file_number, uint64_t offset,
                       void *data, uint64_t bytes);
/* Damages what a read is about to overwrite. */
void weir_program_poison(struct weir_program_walk *walk, unsigned char *data, uint64_t bytes);
/* Compares what was read, and logs it in the tally. False: it is wrong, first at this offset. */
bool weir_program_compare(struct weir_program_walk *walk, uint64_t file_number, uint64_t offset,
                          const void *data, uint64_t bytes, uint64_t *wrong_offset);
/* Counts a transfer that was compared. */
void weir_program_count_compared(struct weir_program_walk *walk, bool is_right);

/* One write or read of a file, in as many system calls as the kernel wants, and as are needed to
 * hear signals in between. With --verify data are filled and compared between these. */
struct weir_program_transfer {
    enum weir_op_verb verb;
    struct weir_file *file;
    unsigned char *data;
    uint64_t room; /* bytes at `data`, which pieces use from its begin on again */
    uint64_t offset;
    uint64_t bytes;
    uint64_t least;       /* done with so many: a read may ask for more than there is */
    uint64_t file_number; /* if it is verified */
    bool appends;
    uint64_t begin_ns;
    uint64_t end_ns; /* less the time between pieces that filling and comparing took */
    uint64_t moved;
    bool is_wrong;         /* what was read, ... */
    uint64_t wrong_offset; /* ... first here */
};

/* Sets the size of the next piece from the latest one: one that took longer than WEIR_CALL_PIECE_NS
 * is halved, and one that took less than a quarter of it is doubled. */
void weir_program_adapt_piece(struct weir_program_files *files, const struct weir_op *op);

/* Begins now, or where the last stamp of the queue stands. 0 or -errno (-ENODATA: a read that found
 * the end of the file). */
int weir_program_move(struct weir_program_walk *walk, struct weir_program_transfer *transfer);

/* Tells once why a direct transfer was refused. */
void weir_program_tell_direct(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              const struct weir_program_transfer *transfer);

/* ---- program_files.c ---- */

void weir_program_handles_close(struct weir_program_walk *walk, bool is_complete);

/* fopen to fsync. */
int weir_program_call_handle(struct weir_program_walk *walk,
                             const struct weir_statement *statement);

/* A handle for the file files->names[0], and back. NULL: the program ends. */
struct weir_program_handle *weir_program_handle_take(struct weir_program_walk *walk,
                                                     const struct weir_statement *statement);
void weir_program_handle_free(struct weir_program_walk *walk, struct weir_program_handle *handle);
/* Gives it to the variable of the statement; NULL: that is not set. */
void weir_program_handle_set(struct weir_program_walk *walk, const struct weir_statement *statement,
                             const struct weir_program_handle *handle);
/* The handle that the argument is, opened by pfopen or not. NULL: the program ends. */
struct weir_program_handle *weir_program_handle_find(struct weir_program_walk *walk,
                                                     const struct weir_statement *statement,
                                                     bool is_pattern);
/* Takes it from that variable. */
void weir_program_handle_unset(struct weir_program_walk *walk,
                               const struct weir_statement *statement);

/* ---- program_patterns.c ---- */

int weir_program_patterns_open(struct weir_program_walk *walk, struct weir_error *error);
void weir_program_patterns_close(struct weir_program_walk *walk);

/* pwrite to pdelete. */
int weir_program_call_pattern(struct weir_program_walk *walk,
                              const struct weir_statement *statement);
/* At the end: with all ranks of its group, or without them. */
void weir_program_pattern_drop(struct weir_program_walk *walk, struct weir_program_handle *handle,
                               bool is_complete);

/* ---- program_calls.c ---- */

/* Fills it for opens of `path`: the pointer is kept, and its text read at each open. */
void weir_program_opening_set(const struct weir_program_walk *walk,
                              struct weir_program_opening *opening, const char *path,
                              unsigned open_flags, unsigned mode);
/* Opens with it: sets files->op, with its file. Its result. */
int64_t weir_program_open(struct weir_program_walk *walk, struct weir_program_opening *opening);

/* Gives a transfer at a known offset its size and buffer. 0, or the program ends (-ECANCELED). */
int weir_program_take_data(struct weir_program_walk *walk, const struct weir_statement *statement,
                           uint64_t bytes, struct weir_program_transfer *transfer);
/* The same from the offset to the end of the file. Other errors are those of the size. */
int weir_program_take_whole(struct weir_program_walk *walk, const struct weir_statement *statement,
                            struct weir_program_transfer *transfer);

/* weir_program_move, or nothing if it has no bytes; tells why it is refused, if that is known. */
int weir_program_move_checked(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              struct weir_program_transfer *transfer);

/* Notes a call with the stamps and the result of files->op. */
void weir_program_note_op(struct weir_program_walk *walk, const struct weir_statement *statement,
                          const char *path);
/* ... or with those of a transfer, which is verified after that. */
void weir_program_note_transfer(struct weir_program_walk *walk,
                                const struct weir_statement *statement,
                                const struct weir_program_transfer *transfer, int code,
                                const char *path);

#endif
