/* SPDX-License-Identifier: Apache-2.0 */
/* Independent and collective transfers at explicit offsets through MPI-IO, in the whole file or in
 * a view of it, with hints as IOR takes them. */
#include "mpiio_errors.h"
#include "mpiio_hints.h"
#include "mpiio_names.h"
#include "mpiio_view.h"
#include "posix_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* MPI counts in int; longer transfers are made in pieces. */
enum { PIECE_BYTES = 1 << 30 };

extern const struct weir_backend weir_backend_mpiio;

struct mpiio_options {
    const char *hints_path;
    int64_t must_show_hints;
    int64_t must_preallocate;
    int64_t has_strided_datatype;
    int64_t has_file_view;
};

struct mpiio_session {
    struct weir_session base;
    MPI_Info hints;
    struct weir_text *notes; /* hints are told there; NULL: not at all */
    /* for the next open, which must not fail for want of memory while other ranks wait in it */
    struct mpiio_file *spare;
    bool must_preallocate;
    enum weir_mpiio_view view;
    struct weir_mpiio_names names;
    struct weir_mpiio_failure failure;
};

struct mpiio_file {
    struct weir_file base;
    MPI_File handle;
    struct weir_file_part view; /* no blocks: the whole file */
    bool counts_in_view;        /* offsets of transfers do */
    bool uses_pointer; /* transfers are at the individual file pointer, as IOR's in a view */
    /* the file's size when it was last asked for: it does not shrink under us */
    uint64_t known_bytes;
};

#define AT(member) WEIR_OPTION_AT(struct mpiio_options, member)

static const struct weir_option mpiio_rows[] = {
    {0, "mpiio.hintsFileName", WEIR_OPTION_TEXT, AT(hints_path),
     .help = "file of lines IOR_HINT__MPI__<key>=<value>", .since = "4.0",
     .better = "any number of hints, where IOR takes 16 from the environment"},
    {0, "mpiio.showHints", WEIR_OPTION_FLAG, AT(must_show_hints),
     .help = "print the hints given to, and taken by, each opened file", .since = "4.0",
     .better = "on standard error where standard output is JSON or CSV, which stay whole"},
    {0, "mpiio.preallocate", WEIR_OPTION_FLAG, AT(must_preallocate),
     .help = "preallocate files to their expected size when they are made", .since = "4.0"},
    {0, "mpiio.useStridedDatatype", WEIR_OPTION_FLAG, AT(has_strided_datatype),
     .help = "in a file view: move all blocks of a rank in one noncontiguous call", .since = "4.0",
     .better = "refused if memory does not hold all blocks of a rank; a call moves up to 1 GiB"},
    {0, "mpiio.useFileView", WEIR_OPTION_FLAG, AT(has_file_view),
     .help = "move through a file view whose type is one block of a rank and the way to the next",
     .since = "4.0"},
    {0},
};

static struct mpiio_session *mpiio_session_of(struct weir_session *session)
{
    return (struct mpiio_session *)session;
}

static MPI_File handle_of(struct weir_file *file)
{
    return ((struct mpiio_file *)file)->handle;
}

/* ---- session ---- */

/* Whether a transfer is all blocks of a rank. */
static bool mpiio_spans_blocks(const void *values)
{
    const struct mpiio_options *options = values;

    return options->has_strided_datatype && options->has_file_view;
}

/* Without a file view there is no type that could be strided. */
static enum weir_mpiio_view view_of(const struct mpiio_options *options)
{
    if (mpiio_spans_blocks(options))
        return WEIR_MPIIO_VIEW_WHOLE;
    return options->has_file_view ? WEIR_MPIIO_VIEW_BLOCKS : WEIR_MPIIO_VIEW_NONE;
}

static bool has_true_hint(MPI_Info hints, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int is_set = 0;

    return MPI_Info_get(hints, key, MPI_MAX_INFO_VAL, value, &is_set) == MPI_SUCCESS && is_set &&
           strcasecmp(value, "true") == 0;
}

static int mpiio_session_open(const struct weir_session_params *params,
                              struct weir_session **session, struct weir_error *error)
{
    const struct mpiio_options *options = params->options;
    struct mpiio_session *opened;
    int is_running = 0;
    int rc;

    MPI_Initialized(&is_running);
    if (!is_running)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, "mpiio", "MPI is not running");
    opened = calloc(1, sizeof *opened);
    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "mpiio", "out of memory");
    opened->base = (struct weir_session){.backend = &weir_backend_mpiio, .depth = 1};
    opened->notes = options->must_show_hints ? params->notes : NULL;
    opened->must_preallocate = options->must_preallocate != 0;
    opened->view = view_of(options);
    rc = weir_mpiio_errno(MPI_Info_create(&opened->hints));
    if (rc == 0) {
        rc = weir_mpiio_hints_read(params->group, options->hints_path, opened->hints, error);
        if (rc < 0)
            MPI_Info_free(&opened->hints);
    }
    if (rc < 0) {
        free(opened);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "mpiio", "hints: %s",
                              strerror(-rc));
    }
    opened->base.asks_direct =
        has_true_hint(opened->hints, "direct_read") || has_true_hint(opened->hints, "direct_write");
    *session = &opened->base;
    return 0;
}

static void mpiio_session_close(struct weir_session *session)
{
    MPI_Info_free(&mpiio_session_of(session)->hints);
    free(mpiio_session_of(session)->spare);
    free(session);
}

/* ---- names: those of the kernel's file systems ---- */

static const char *mpiio_kernel_path(struct weir_session *session, const char *path)
{
    return weir_mpiio_kernel_path(&mpiio_session_of(session)->names, path);
}

static int mpiio_check(struct weir_session *session, const char *path, struct weir_error *error)
{
    if (mpiio_kernel_path(session, path))
        return 0;
    return weir_error_usage(error, "mpiio",
                            "%s: which file MPI-IO makes of this name cannot be told, because it "
                            "makes none here: leave out the text before the colon, which this "
                            "library may take for a part of the name, or choose another directory",
                            path);
}

static int mpiio_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts)
{
    const char *found = mpiio_kernel_path(session, path);

    return found ? weir_posix_name_ops.stat(session, found, facts) : -ENOENT;
}

static int mpiio_stat_item(struct weir_session *session, const char *path,
                           struct weir_name_facts *facts)
{
    const char *found = mpiio_kernel_path(session, path);

    return found ? weir_posix_name_ops.stat_item(session, found, facts) : -ENOENT;
}

static int mpiio_unlink(struct weir_session *session, const char *path)
{
    const char *found = mpiio_kernel_path(session, path);

    return found ? weir_posix_name_ops.unlink(session, found) : -ENOENT;
}

static int mpiio_mkdir(struct weir_session *session, const char *path)
{
    const char *found = mpiio_kernel_path(session, path);

    return found ? weir_posix_name_ops.mkdir(session, found) : -ENOENT;
}

static int mpiio_rmdir(struct weir_session *session, const char *path)
{
    const char *found = mpiio_kernel_path(session, path);

    return found ? weir_posix_name_ops.rmdir(session, found) : -ENOENT;
}

/* ---- files ---- */

static MPI_Comm communicator_of(const struct weir_group *group)
{
    if (group->size == 1)
        return MPI_COMM_SELF;
    assert(group->native);
    return *(const MPI_Comm *)group->native;
}

static void tell_returned_hints(struct weir_text *notes, MPI_File handle)
{
    MPI_Info hints;

    if (MPI_File_get_info(handle, &hints) != MPI_SUCCESS)
        return;
    weir_mpiio_hints_write(notes, "hints returned from opened file", hints);
    MPI_Info_free(&hints);
}

static bool is_directory(const char *kernel_path)
{
    struct stat facts;

    return stat(kernel_path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int open_handle(struct mpiio_session *session, const struct weir_file_params *params,
                       MPI_File *handle)
{
    int mode = MPI_MODE_UNIQUE_OPEN | (params->can_write ? MPI_MODE_RDWR : MPI_MODE_RDONLY);
    const char *kernel_path = mpiio_kernel_path(&session->base, params->path);
    const char *path = params->path;
    char longer[] = "./?";
    int rc;

    /* Open MPI 4.1 does not open what has a name of one letter. */
    if (strlen(path) == 1) {
        longer[2] = *path;
        path = longer;
    }
    if (params->must_create)
        mode |= MPI_MODE_CREATE;
    if (params->claim == WEIR_CLAIM_NEW ||
        (params->claim == WEIR_CLAIM_ITEM && params->must_create))
        mode |= MPI_MODE_EXCL;
    rc = weir_mpiio_errno(
        MPI_File_open(communicator_of(params->group), path, mode, session->hints, handle));
    if (rc == -EIO && is_directory(kernel_path))
        return -EISDIR;
    if (rc < 0 || params->can_write || !is_directory(kernel_path))
        return rc;
    /* Open MPI opens a directory for reading as if it were a file. */
    MPI_File_close(handle);
    return -EISDIR;
}

/* Before the first byte: no rank writes if one has opened another file. Where one has
 * opened none (`open_rc`), the others cannot close theirs. Negative on all ranks or on none.
 * Collective. */
static int judge(struct mpiio_session *session, const struct weir_file_params *params,
                 int descriptor, int open_rc, struct weir_file_id *id)
{
    const char *path = mpiio_kernel_path(&session->base, params->path);
    uint64_t failed[2] = {open_rc < 0, 0};
    int rc = 0;

    if (open_rc == 0)
        rc = weir_mpiio_judge(path, params, descriptor, id);
    if (params->claim == WEIR_CLAIM_ANY)
        return 0;
    failed[1] = rc < 0;
    if (weir_group_reduce(params->group, failed, 2, WEIR_MAX) != 0 || failed[0] || !failed[1])
        return failed[0] ? 0 : rc;
    return rc < 0 ? rc : -ESTALE;
}

/* Opens an existing item, if it may be written. The item is judged on a descriptor of ours; MPI has
 * to open the same file. */
static int open_found_item(struct mpiio_session *session, const struct weir_file_params *params,
                           MPI_File *handle, struct weir_file_id *id)
{
    const struct weir_posix_session kernel = {.base = session->base};
    struct weir_file_params found = *params;
    int descriptor, fd, rc;
    struct stat facts;

    assert(params->group->size == 1);
    found.path = mpiio_kernel_path(&session->base, params->path);
    fd = weir_posix_open_found(&kernel, &found);
    if (fd < 0)
        return fd;
    rc = fstat(fd, &facts) == 0 ? 0 : -errno;
    found.path = params->path;
    found.must_create = false;
    found.claim = WEIR_CLAIM_OWN;
    found.id = weir_posix_id(&facts);
    descriptor = weir_mpiio_next_descriptor();
    if (rc == 0)
        rc = open_handle(session, &found, handle);
    /* While the descriptor is open, no other file gets this inode. judge() searches all descriptors
     * for the file, and must not find this one. */
    close(fd);
    if (rc < 0)
        return rc;
    rc = judge(session, &found, descriptor, 0, id);
    if (rc < 0)
        MPI_File_close(handle);
    return rc;
}

static int preallocate(MPI_File handle, const struct weir_file_params *params)
{
    if (!params->must_create || !params->can_write || params->expected_bytes == 0)
        return 0;
    return weir_mpiio_errno(MPI_File_preallocate(handle, (MPI_Offset)params->expected_bytes));
}

/* A file that is opened only to be examined has no part, and is seen whole. Random transfers
 * have none either: they go anywhere in the file, and a view does not show all of it. */
static bool can_view(const struct mpiio_session *session, const struct weir_file_params *params)
{
    if (session->view == WEIR_MPIIO_VIEW_NONE)
        return true;
    return params->part.block_count == 0 ? !params->is_random
                                         : weir_mpiio_view_fits(session->view, &params->part);
}

static int set_view(const struct mpiio_session *session, const struct weir_file_params *params,
                    struct mpiio_file *file)
{
    if (session->view == WEIR_MPIIO_VIEW_NONE || params->part.block_count == 0)
        return 0;
    file->view = params->part;
    file->uses_pointer = true;
    return weir_mpiio_errno(weir_mpiio_view_set(file->handle, session->view, &file->view));
}

static int mpiio_view(struct weir_session *session, struct weir_file *file,
                      const struct weir_file_part *part)
{
    struct mpiio_file *open = (struct mpiio_file *)file;
    int rc;

    (void)session;
    if (part->block_count > 0 && !weir_mpiio_view_fits(WEIR_MPIIO_VIEW_BLOCKS, part))
        return -EINVAL;
    open->view = *part;
    open->counts_in_view = part->block_count > 0;
    open->uses_pointer = false;
    if (open->counts_in_view)
        rc = weir_mpiio_view_set(open->handle, WEIR_MPIIO_VIEW_BLOCKS, part);
    else /* Open MPI goes through a type of our own byte by byte, and not through this one */
        rc = MPI_File_set_view(open->handle, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    return weir_mpiio_errno(rc);
}

/* Open MPI 4.1 waits for ever for a rank that could not open, and says so to that rank alone. */
static int mpiio_may_open(struct weir_session *session, const struct weir_file_params *params)
{
    struct mpiio_session *mpiio = mpiio_session_of(session);
    const char *path = mpiio_kernel_path(session, params->path);
    struct stat facts;
    int descriptor;

    if (!can_view(mpiio, params))
        return -EINVAL;
    if (mpiio->spare == NULL)
        mpiio->spare = calloc(1, sizeof *mpiio->spare);
    if (mpiio->spare == NULL)
        return -ENOMEM;
    descriptor = open(path, (params->can_write ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0) {
        bool is_fifo = fstat(descriptor, &facts) == 0 && S_ISFIFO(facts.st_mode);

        close(descriptor);
        if (is_fifo)
            return -WEIR_EFIFO;
    } else if (errno != ENOENT || !params->must_create)
        return -errno;
    else if (!weir_mpiio_may_make(path, params->group->rank == 0))
        return -errno;
    return weir_mpiio_has_descriptors() ? 0 : -errno;
}

static int mpiio_open(struct weir_session *session, const struct weir_file_params *params,
                      struct weir_file **file)
{
    struct mpiio_session *mpiio = mpiio_session_of(session);
    /* Files that are opened only to be examined, with no expected size, are not listed in the
     * output. */
    struct weir_text *notes = params->expected_bytes > 0 ? mpiio->notes : NULL;
    struct mpiio_file *opened;
    struct stat facts;
    int descriptor, judged, view_rc, rc;

    mpiio->failure.is_unexplained = false;
    if (!can_view(mpiio, params))
        return -EINVAL;
    /* Of a file that ranks open together, mpiio_may_open has asked. */
    if (!params->must_create && (params->group == NULL || params->group->size == 1) &&
        stat(mpiio_kernel_path(session, params->path), &facts) == 0 && S_ISFIFO(facts.st_mode))
        return -WEIR_EFIFO;
    opened = mpiio->spare != NULL ? mpiio->spare : calloc(1, sizeof *opened);
    mpiio->spare = NULL;
    if (!opened)
        return -ENOMEM;
    if (notes)
        weir_mpiio_hints_write(notes, "hints passed to MPI_File_open()", mpiio->hints);
    descriptor = weir_mpiio_next_descriptor();
    rc = params->claim == WEIR_CLAIM_ITEM && !params->must_create
             ? -EEXIST
             : open_handle(mpiio, params, &opened->handle);
    judged = judge(mpiio, params, descriptor, rc, &opened->base.id);
    session->found_items += rc == -EEXIST && params->claim == WEIR_CLAIM_ITEM;
    if (rc == -EEXIST && params->claim == WEIR_CLAIM_ITEM)
        rc = open_found_item(mpiio, params, &opened->handle, &opened->base.id);
    if (rc < 0)
        goto free_file;
    if (judged < 0) {
        /* All ranks have it, and give it up together. */
        MPI_File_close(&opened->handle);
        rc = judged;
        goto free_file;
    }
    rc = mpiio->must_preallocate ? preallocate(opened->handle, params) : 0;
    view_rc = set_view(mpiio, params, opened);
    if (rc == 0)
        rc = view_rc;
    if (rc < 0)
        goto close_handle;
    if (notes)
        tell_returned_hints(notes, opened->handle);
    opened->base.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    *file = &opened->base;
    return 0;

close_handle:
    /* To close a shared file takes all ranks, and the others may have what this one has not. */
    if (params->group->size == 1)
        MPI_File_close(&opened->handle);
free_file:
    free(opened);
    return rc;
}

/* MPI ends with the handles that are left, on all ranks together. */
static void mpiio_abandon(struct weir_session *session, struct weir_file *file)
{
    (void)session;
    free(file);
}

static int mpiio_close(struct weir_session *session, struct weir_file *file)
{
    int rc = weir_mpiio_errno(MPI_File_close(&((struct mpiio_file *)file)->handle));

    (void)session;
    free(file);
    return rc;
}

/* MPI refuses to sync a file that was opened for reads alone, which has nothing of its own to
 * sync. */
static int mpiio_sync(struct weir_session *session, struct weir_file *file)
{
    int mode = 0;
    int rc = weir_mpiio_errno(MPI_File_get_amode(handle_of(file), &mode));

    (void)session;
    if (rc != 0 || (mode & MPI_MODE_RDONLY) != 0)
        return rc;
    return weir_mpiio_errno(MPI_File_sync(handle_of(file)));
}

static int64_t mpiio_size(struct weir_session *session, struct weir_file *file)
{
    MPI_Offset bytes = 0;
    int rc = weir_mpiio_errno(MPI_File_get_size(handle_of(file), &bytes));

    (void)session;
    return rc < 0 ? rc : (int64_t)bytes;
}

/* ---- transfers ---- */

/* `position` is where the transfer begins as MPI counts: in the view, if there is one. */
static int call_mpi(const struct weir_op *op, uint64_t position, uint64_t moved, int count,
                    MPI_Status *status)
{
    const struct mpiio_file *file = (const struct mpiio_file *)op->file;
    MPI_File handle = file->handle;
    MPI_Offset offset = (MPI_Offset)position + (MPI_Offset)moved;
    unsigned char *data = (unsigned char *)op->data + moved;
    int seek_rc, rc;

    if (file->uses_pointer) {
        seek_rc = MPI_File_seek(handle, offset, MPI_SEEK_SET);
        /* Other ranks may wait in a collective transfer: this one takes part, without data. */
        if (seek_rc != MPI_SUCCESS && op->is_collective)
            count = 0;
        else if (seek_rc != MPI_SUCCESS)
            return seek_rc;
        if (op->verb == WEIR_OP_WRITE)
            rc = op->is_collective ? MPI_File_write_all(handle, data, count, MPI_BYTE, status)
                                   : MPI_File_write(handle, data, count, MPI_BYTE, status);
        else
            rc = op->is_collective ? MPI_File_read_all(handle, data, count, MPI_BYTE, status)
                                   : MPI_File_read(handle, data, count, MPI_BYTE, status);
        return seek_rc != MPI_SUCCESS ? seek_rc : rc;
    }
    if (op->verb == WEIR_OP_WRITE)
        return op->is_collective
                   ? MPI_File_write_at_all(handle, offset, data, count, MPI_BYTE, status)
                   : MPI_File_write_at(handle, offset, data, count, MPI_BYTE, status);
    return op->is_collective ? MPI_File_read_at_all(handle, offset, data, count, MPI_BYTE, status)
                             : MPI_File_read_at(handle, offset, data, count, MPI_BYTE, status);
}

/* Positions in the first `end` bytes of the file: bytes of the view, if there is one. */
static uint64_t positions_before(const struct mpiio_file *file, uint64_t end)
{
    return file->view.block_count > 0 ? weir_mpiio_view_bytes(&file->view, end) : end;
}

/* Reads claim to be complete past the end of the file: collective ones of Open MPI 4.1 where ranks
 * read for one another, and all of ROMIO in a view. */
static int64_t cut_at_end(struct mpiio_file *file, uint64_t position, int64_t bytes)
{
    uint64_t seen = positions_before(file, file->known_bytes);
    MPI_Offset end;

    if (position + (uint64_t)bytes <= seen)
        return bytes;
    if (MPI_File_get_size(file->handle, &end) != MPI_SUCCESS)
        return -EIO;
    file->known_bytes = (uint64_t)end;
    seen = positions_before(file, file->known_bytes);
    if (position >= seen)
        return 0;
    return position + (uint64_t)bytes <= seen ? bytes : (int64_t)(seen - position);
}

/* Where nothing more can be read. */
static bool is_at_end(struct mpiio_file *file, uint64_t position)
{
    return cut_at_end(file, position, 1) == 0;
}

static int64_t move_piece(struct mpiio_session *session, const struct weir_op *op,
                          uint64_t position, uint64_t moved, int count)
{
    struct mpiio_file *file = (struct mpiio_file *)op->file;
    bool reads = op->verb == WEIR_OP_READ;
    MPI_Status status;
    int bytes = 0;
    int kernel_errno;
    int rc;

    errno = 0;
    rc = call_mpi(op, position, moved, count, &status);
    kernel_errno = errno;
    if (rc != MPI_SUCCESS)
        return weir_mpiio_cause(rc, kernel_errno, &session->failure);
    if (MPI_Get_count(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes == MPI_UNDEFINED)
        return -EIO;
    /* Open MPI 4.1 calls a transfer that failed a success: of no bytes, or, where ranks move for
     * one another, of all. */
    if (count == 0 || (bytes == 0 && reads && is_at_end(file, position + moved)))
        return 0;
    if (bytes == 0 || (bytes == count && weir_mpiio_is_cause(kernel_errno)))
        return weir_mpiio_cause(MPI_SUCCESS, kernel_errno, &session->failure);
    if (reads && (op->is_collective || file->view.block_count > 0))
        return cut_at_end(file, position + moved, bytes);
    return bytes;
}

/* Where a transfer begins as MPI counts. False if the view does not show all of it; in a view of
 * all blocks at once, a transfer continues in the next block. */
static bool find_position(const struct mpiio_session *session, const struct weir_op *op,
                          uint64_t *position)
{
    const struct mpiio_file *file = (const struct mpiio_file *)op->file;

    *position = op->offset;
    if (__builtin_expect(file->view.block_count == 0 || file->counts_in_view, 1))
        return true;
    return weir_mpiio_view_find(&file->view, session->view == WEIR_MPIIO_VIEW_WHOLE, op->offset,
                                op->size, position);
}

static int64_t mpiio_transfer(struct weir_session *session, struct weir_op *op)
{
    uint64_t position;
    uint64_t moved = 0;
    int64_t result = 0;
    struct mpiio_session *mpiio = mpiio_session_of(session);
    bool is_in_view = find_position(mpiio, op, &position);

    if (!is_in_view && !op->is_collective)
        return -EINVAL;
    for (uint64_t begin = 0; begin < op->size; begin += PIECE_BYTES) {
        uint64_t left = op->size - begin;
        int count = left < PIECE_BYTES ? (int)left : PIECE_BYTES;
        int64_t bytes;

        /* Other ranks make as many calls: a collective transfer goes on where an independent one is
         * done, and moves nothing where it is out of its view. */
        if (moved < begin && !op->is_collective)
            break;
        bytes = is_in_view ? move_piece(mpiio, op, position, begin, count)
                           : move_piece(mpiio, op, 0, 0, 0);
        if (moved == begin && bytes > 0)
            moved += (uint64_t)bytes;
        if (bytes < 0 && result == 0)
            result = bytes;
    }
    if (!is_in_view)
        return -EINVAL;
    return moved > 0 ? (int64_t)moved : result;
}

static const struct weir_transfer_ops mpiio_transfer_ops = {
    .transfer = mpiio_transfer,
};

static const struct weir_file_ops mpiio_file_ops = {
    .may_open = mpiio_may_open,
    .open = mpiio_open,
    .abandon = mpiio_abandon,
    .close = mpiio_close,
    .sync = mpiio_sync,
    .size = mpiio_size,
    .view = mpiio_view,
};

static const struct weir_name_ops mpiio_name_ops = {
    .stat = mpiio_stat,
    .stat_item = mpiio_stat_item,
    .unlink = mpiio_unlink,
    .mkdir = mpiio_mkdir,
    .rmdir = mpiio_rmdir,
    .check = mpiio_check,
    .kernel_path = mpiio_kernel_path,
};

/* ---- what is told ---- */

static void mpiio_explain(struct weir_session *session, struct weir_text *text)
{
    weir_mpiio_explain(&mpiio_session_of(session)->failure, text);
}

/* May be called before MPI_Init. */
static void mpiio_diagnose(struct weir_diagnosis *diagnosis, const char *path)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;

    (void)path;
    MPI_Get_library_version(version, &length);
    /* The version stands first; what follows is who built it, and how. */
    version[strcspn(version, ",\n")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    weir_text_make_visible(version, "");
    weir_diagnosis_add(diagnosis, WEIR_GOOD, "mpiio", NULL,
                       "MPI-IO of %s, by which ranks talk, too", version);
}

const struct weir_backend weir_backend_mpiio = {
    .descriptor = {.name = "mpiio",
                   .label = "MPIIO",
                   .version = "(3.1)",
                   .summary = "MPI-IO at explicit offsets or in views, independent and collective",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_COLLECT | WEIR_CAN_KEEP | WEIR_CAN_NAME |
                                WEIR_SYNCS_TOGETHER | WEIR_OPENS_TOGETHER,
                   .options = {"MPIIO", mpiio_rows, sizeof(struct mpiio_options)},
                   .spans_blocks = mpiio_spans_blocks},
    .open = mpiio_session_open,
    .close = mpiio_session_close,
    .diagnose = mpiio_diagnose,
    .explain = mpiio_explain,
    .transfer = &mpiio_transfer_ops,
    .file = &mpiio_file_ops,
    .names = &mpiio_name_ops,
};
