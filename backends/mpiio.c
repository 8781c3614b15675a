/* SPDX-License-Identifier: Apache-2.0 */
/* Independent and collective transfers at explicit offsets through MPI-IO, with hints as IOR takes
 * them. */
#include "posix_files.h"

#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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
    bool must_show_hints; /* on one rank only */
    bool must_preallocate;
};

struct mpiio_file {
    struct weir_file base;
    MPI_File handle;
    /* the file's size when it was last asked for: it does not shrink under us */
    uint64_t known_bytes;
};

static const struct weir_option mpiio_rows[] = {
    {.name = "mpiio.hintsFileName",
     .type = WEIR_OPTION_TEXT,
     .offset = offsetof(struct mpiio_options, hints_path),
     .help = "file of lines IOR_HINT__MPI__<key>=<value>"},
    {.name = "mpiio.showHints",
     .type = WEIR_OPTION_FLAG,
     .offset = offsetof(struct mpiio_options, must_show_hints),
     .help = "print the hints given to, and taken by, each opened file"},
    {.name = "mpiio.preallocate",
     .type = WEIR_OPTION_FLAG,
     .offset = offsetof(struct mpiio_options, must_preallocate),
     .help = "preallocate files to their expected size when they are made"},
    {.name = "mpiio.useStridedDatatype",
     .type = WEIR_OPTION_FLAG,
     .offset = offsetof(struct mpiio_options, has_strided_datatype),
     .help = "put strided access into a datatype",
     .refusal = "strided datatypes are not built; leave the option out for explicit offsets"},
    {.name = "mpiio.useFileView",
     .type = WEIR_OPTION_FLAG,
     .offset = offsetof(struct mpiio_options, has_file_view),
     .help = "set a file view and move through it",
     .refusal = "file views are not built; leave the option out for explicit offsets"},
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

static int to_errno(int mpi_code)
{
    int class = MPI_ERR_UNKNOWN;

    if (mpi_code == MPI_SUCCESS)
        return 0;
    MPI_Error_class(mpi_code, &class);
    switch (class) {
    case MPI_ERR_NO_SPACE:
        return -ENOSPC;
    case MPI_ERR_QUOTA:
        return -EDQUOT;
    case MPI_ERR_NO_SUCH_FILE:
        return -ENOENT;
    case MPI_ERR_ACCESS:
        return -EACCES;
    case MPI_ERR_READ_ONLY:
        return -EROFS;
    case MPI_ERR_NO_MEM:
        return -ENOMEM;
    default:
        return -EIO;
    }
}

/* ---- hints ---- */

static const char hint_prefix[] = "IOR_HINT__";
static const char *const hint_layers[] = {"MPI__", "GPFS__"};

static void collect_environment(struct weir_text *lines)
{
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, hint_prefix, strlen(hint_prefix)) == 0)
            weir_text_add(lines, "%s\n", *entry);
}

static int collect_file(struct weir_text *lines, const char *path, struct weir_error *error)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    if (!file)
        return weir_error_usage(error, "mpiio: --mpiio.hintsFileName", "%s: %s", path,
                                strerror(errno));
    while ((length = getline(&line, &capacity, file)) >= 0)
        weir_text_add_bytes(lines, line, (size_t)length);
    if (lines->length > 0 && lines->data[lines->length - 1] != '\n')
        weir_text_add(lines, "\n");
    free(line);
    fclose(file);
    return 0;
}

static char *trim(char *text)
{
    static const char blanks[] = " \t\r";
    size_t length;

    text += strspn(text, blanks);
    length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* What follows "IOR_HINT__MPI__" or "IOR_HINT__GPFS__"; NULL if the line begins otherwise. */
static char *skip_prefix(char *line)
{
    if (strncmp(line, hint_prefix, strlen(hint_prefix)) != 0)
        return NULL;
    line += strlen(hint_prefix);
    for (size_t i = 0; i < sizeof hint_layers / sizeof *hint_layers; i++)
        if (strncmp(line, hint_layers[i], strlen(hint_layers[i])) == 0)
            return line + strlen(hint_layers[i]);
    return NULL;
}

static int set_hint(MPI_Info hints, char *line, struct weir_error *error)
{
    char *key = skip_prefix(line);
    char *equals = key ? strchr(key, '=') : NULL;

    if (!equals)
        return weir_error_usage(error, "mpiio",
                                "'%s' is no hint; write IOR_HINT__MPI__<key>=<value>", line);
    *equals = '\0';
    if (MPI_Info_set(hints, trim(key), trim(equals + 1)) != MPI_SUCCESS)
        return weir_error_usage(error, "mpiio", "MPI does not take the hint %s = %s", trim(key),
                                trim(equals + 1));
    return 0;
}

static int set_hints(MPI_Info hints, char *lines, struct weir_error *error)
{
    char *rest = lines;
    char *line;

    while ((line = strsep(&rest, "\n")) != NULL) {
        int rc = 0;

        line = trim(line);
        if (*line != '\0' && *line != '#')
            rc = set_hint(hints, line, error);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Rank 0's environment and file hold for all: MPI wants the same hints on every rank. */
static int read_hints(const struct weir_session_params *params, MPI_Info hints,
                      struct weir_error *error)
{
    const struct mpiio_options *options = params->options;
    struct {
        struct weir_error error;
        uint64_t bytes;
    } head = {0};
    struct weir_text collected = {0};
    char *lines;
    int rc;

    if (params->group->rank == 0) {
        collect_environment(&collected);
        if (options->hints_path)
            collect_file(&collected, options->hints_path, &head.error);
        head.bytes = collected.length;
    }
    rc = weir_group_broadcast(params->group, &head, sizeof head, 0);
    lines = calloc(1, head.bytes + 1);
    if (lines && params->group->rank == 0)
        memcpy(lines, weir_text_string(&collected), head.bytes);
    weir_text_close(&collected);
    if (weir_error_is_set(&head.error)) {
        *error = head.error;
        rc = head.error.code;
    }
    if (weir_group_any(params->group, lines == NULL))
        rc = -ENOMEM;
    if (rc == 0)
        rc = weir_group_broadcast(params->group, lines, head.bytes, 0);
    if (rc == 0)
        rc = set_hints(hints, lines, error);
    free(lines);
    return rc;
}

/* On standard error: standard output is for results, and may be JSON. */
static void print_hints(const char *caption, MPI_Info hints)
{
    struct weir_text text = {0};
    char key[MPI_MAX_INFO_KEY + 1];
    char value[MPI_MAX_INFO_VAL + 1];
    int count = 0;
    int is_set = 0;

    MPI_Info_get_nkeys(hints, &count);
    weir_text_add(&text, "\n%s {\n", caption);
    for (int i = 0; i < count; i++) {
        MPI_Info_get_nthkey(hints, i, key);
        MPI_Info_get(hints, key, MPI_MAX_INFO_VAL, value, &is_set);
        weir_text_add(&text, "\t%s = %s\n", key, is_set ? value : "");
    }
    weir_text_add(&text, "}\n");
    fputs(weir_text_string(&text), stderr);
    weir_text_close(&text);
}

static void print_returned_hints(MPI_File handle)
{
    MPI_Info hints;

    if (MPI_File_get_info(handle, &hints) != MPI_SUCCESS)
        return;
    print_hints("hints returned from opened file", hints);
    MPI_Info_free(&hints);
}

/* ---- session ---- */

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
    opened->must_show_hints = options->must_show_hints && params->group->rank == 0;
    opened->must_preallocate = options->must_preallocate != 0;
    rc = to_errno(MPI_Info_create(&opened->hints));
    if (rc == 0) {
        rc = read_hints(params, opened->hints, error);
        if (rc < 0)
            MPI_Info_free(&opened->hints);
    }
    if (rc < 0) {
        free(opened);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "mpiio", "hints: %s",
                              strerror(-rc));
    }
    *session = &opened->base;
    return 0;
}

static void mpiio_session_close(struct weir_session *session)
{
    MPI_Info_free(&mpiio_session_of(session)->hints);
    free(session);
}

/* ---- names: those of the kernel's file systems, behind an optional prefix ---- */

/* ROMIO takes the kind of file system before the path, as in "ufs:/scratch/file". */
static const char *without_prefix(const char *path)
{
    static const char *const prefixes[] = {
        "ufs:",   "nfs:",        "xfs:",    "lustre:",  "gpfs:", "pvfs2:",
        "panfs:", "bglockless:", "testfs:", "quobyte:", "daos:", "ime:"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncasecmp(path, prefixes[i], strlen(prefixes[i])) == 0)
            return path + strlen(prefixes[i]);
    return path;
}

static int mpiio_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts)
{
    return weir_posix_name_ops.stat(session, without_prefix(path), facts);
}

static int mpiio_unlink(struct weir_session *session, const char *path)
{
    return weir_posix_name_ops.unlink(session, without_prefix(path));
}

static int mpiio_mkdir(struct weir_session *session, const char *path)
{
    return weir_posix_name_ops.mkdir(session, without_prefix(path));
}

static int mpiio_rmdir(struct weir_session *session, const char *path)
{
    return weir_posix_name_ops.rmdir(session, without_prefix(path));
}

/* ---- files ---- */

static MPI_Comm communicator_of(const struct weir_group *group)
{
    if (group->size == 1)
        return MPI_COMM_SELF;
    assert(group->native);
    return *(const MPI_Comm *)group->native;
}

static bool is_directory(const char *path)
{
    struct stat facts;

    return stat(without_prefix(path), &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int open_handle(const struct mpiio_session *session, const struct weir_file_params *params,
                       MPI_File *handle)
{
    int mode = MPI_MODE_UNIQUE_OPEN | (params->can_write ? MPI_MODE_RDWR : MPI_MODE_RDONLY);
    int rc;

    if (params->must_create)
        mode |= MPI_MODE_CREATE;
    rc = to_errno(
        MPI_File_open(communicator_of(params->group), params->path, mode, session->hints, handle));
    if (rc == -EIO && is_directory(params->path))
        return -EISDIR;
    if (rc < 0 || params->can_write || !is_directory(params->path))
        return rc;
    /* Open MPI opens a directory for reading as if it were a file. */
    MPI_File_close(handle);
    return -EISDIR;
}

static int preallocate(MPI_File handle, const struct weir_file_params *params)
{
    if (!params->must_create || !params->can_write || params->expected_bytes == 0)
        return 0;
    return to_errno(MPI_File_preallocate(handle, (MPI_Offset)params->expected_bytes));
}

static int mpiio_open(struct weir_session *session, const struct weir_file_params *params,
                      struct weir_file **file)
{
    struct mpiio_session *mpiio = mpiio_session_of(session);
    struct mpiio_file *opened = calloc(1, sizeof *opened);
    int rc;

    if (!opened)
        return -ENOMEM;
    if (mpiio->must_show_hints)
        print_hints("hints passed to MPI_File_open()", mpiio->hints);
    rc = open_handle(mpiio, params, &opened->handle);
    if (rc < 0)
        goto free_file;
    rc = mpiio->must_preallocate ? preallocate(opened->handle, params) : 0;
    if (rc < 0)
        goto close_handle;
    if (mpiio->must_show_hints)
        print_returned_hints(opened->handle);
    opened->base.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    *file = &opened->base;
    return 0;

close_handle:
    MPI_File_close(&opened->handle);
free_file:
    free(opened);
    return rc;
}

static int mpiio_close(struct weir_session *session, struct weir_file *file)
{
    int rc = to_errno(MPI_File_close(&((struct mpiio_file *)file)->handle));

    (void)session;
    free(file);
    return rc;
}

static int mpiio_sync(struct weir_session *session, struct weir_file *file)
{
    (void)session;
    return to_errno(MPI_File_sync(handle_of(file)));
}

static int64_t mpiio_size(struct weir_session *session, struct weir_file *file)
{
    MPI_Offset bytes = 0;
    int rc = to_errno(MPI_File_get_size(handle_of(file), &bytes));

    (void)session;
    return rc < 0 ? rc : (int64_t)bytes;
}

/* ---- transfers ---- */

static int call_mpi(const struct weir_op *op, uint64_t moved, int count, MPI_Status *status)
{
    MPI_File handle = handle_of(op->file);
    MPI_Offset offset = (MPI_Offset)op->offset + (MPI_Offset)moved;
    unsigned char *data = (unsigned char *)op->data + moved;

    if (op->verb == WEIR_OP_WRITE)
        return op->is_collective
                   ? MPI_File_write_at_all(handle, offset, data, count, MPI_BYTE, status)
                   : MPI_File_write_at(handle, offset, data, count, MPI_BYTE, status);
    return op->is_collective ? MPI_File_read_at_all(handle, offset, data, count, MPI_BYTE, status)
                             : MPI_File_read_at(handle, offset, data, count, MPI_BYTE, status);
}

/* Why a write failed, where MPI says no more than that it did: the kernel's word, if it can only be
 * about the file. */
static int explain_failure(int kernel_errno)
{
    switch (kernel_errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return -kernel_errno;
    default:
        return -EIO;
    }
}

/* Open MPI 4.1 calls a write that failed a success: of no bytes, or, where ranks write for one
 * another, of all. */
static int64_t judge_write(int asked, int bytes, int kernel_errno)
{
    int failure = explain_failure(kernel_errno);

    if (bytes == 0 || (bytes == asked && failure != -EIO))
        return failure;
    return bytes;
}

/* Collective reads of Open MPI 4.1 claim to be complete past the end of the file where ranks read
 * for one another. */
static int64_t cut_at_end(struct mpiio_file *file, uint64_t offset, int64_t bytes)
{
    MPI_Offset end;

    if (offset + (uint64_t)bytes <= file->known_bytes)
        return bytes;
    if (MPI_File_get_size(file->handle, &end) != MPI_SUCCESS)
        return -EIO;
    file->known_bytes = (uint64_t)end;
    if (offset >= file->known_bytes)
        return 0;
    return offset + (uint64_t)bytes <= file->known_bytes ? bytes
                                                         : (int64_t)(file->known_bytes - offset);
}

static int64_t move_piece(const struct weir_op *op, uint64_t moved, int count)
{
    MPI_Status status;
    int bytes = 0;
    int kernel_errno;
    int rc;

    errno = 0;
    rc = to_errno(call_mpi(op, moved, count, &status));
    kernel_errno = errno;
    if (rc == -EIO)
        return explain_failure(kernel_errno);
    if (rc < 0)
        return rc;
    if (MPI_Get_count(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes == MPI_UNDEFINED)
        return -EIO;
    if (op->verb == WEIR_OP_WRITE)
        return judge_write(count, bytes, kernel_errno);
    if (op->is_collective)
        return cut_at_end((struct mpiio_file *)op->file, op->offset + moved, bytes);
    return bytes;
}

static int64_t mpiio_transfer(struct weir_session *session, struct weir_op *op)
{
    uint64_t moved = 0;
    int64_t result = 0;

    (void)session;
    for (uint64_t begin = 0; begin < op->size; begin += PIECE_BYTES) {
        uint64_t left = op->size - begin;
        int count = left < PIECE_BYTES ? (int)left : PIECE_BYTES;
        int64_t bytes;

        /* Other ranks make as many calls: a collective transfer goes on where an independent one is
         * done. */
        if (moved < begin && !op->is_collective)
            break;
        bytes = move_piece(op, begin, count);
        if (moved == begin && bytes > 0)
            moved += (uint64_t)bytes;
        if (bytes < 0 && result == 0)
            result = bytes;
    }
    return moved > 0 ? (int64_t)moved : result;
}

static const struct weir_transfer_ops mpiio_transfer_ops = {
    .transfer = mpiio_transfer,
};

static const struct weir_file_ops mpiio_file_ops = {
    .open = mpiio_open,
    .close = mpiio_close,
    .sync = mpiio_sync,
    .size = mpiio_size,
};

static const struct weir_name_ops mpiio_name_ops = {
    .stat = mpiio_stat,
    .unlink = mpiio_unlink,
    .mkdir = mpiio_mkdir,
    .rmdir = mpiio_rmdir,
};

const struct weir_backend weir_backend_mpiio = {
    .descriptor = {.name = "mpiio",
                   .label = "MPIIO",
                   .version = "(3.1)",
                   .summary = "MPI-IO at explicit offsets, independent and collective",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_COLLECT | WEIR_CAN_KEEP | WEIR_CAN_NAME |
                                WEIR_SYNCS_TOGETHER,
                   .options = {"MPIIO", mpiio_rows, sizeof(struct mpiio_options)}},
    .open = mpiio_session_open,
    .close = mpiio_session_close,
    .transfer = &mpiio_transfer_ops,
    .file = &mpiio_file_ops,
    .names = &mpiio_name_ops,
};
