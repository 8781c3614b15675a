/* SPDX-License-Identifier: Apache-2.0 */
/* Parts as MPI types, and the way from an offset in the file to the position in the view. */
#include "mpiio_view.h"

#include <limits.h>

/* MPI counts in int: longer blocks are made of pieces. */
#define PIECE_BYTES ((uint64_t)1 << 30)

bool weir_mpiio_view_fits(enum weir_mpiio_view view, const struct weir_file_part *part)
{
    if (part->block_count == 0 || part->block_bytes == 0 ||
        part->stride_bytes < part->block_bytes || part->stride_bytes > INT64_MAX ||
        part->block_bytes / PIECE_BYTES > INT_MAX)
        return false;
    return view != WEIR_MPIIO_VIEW_WHOLE || part->block_count <= INT_MAX;
}

/* Some pieces and what is left. */
static int make_long_block(uint64_t bytes, MPI_Datatype *type)
{
    int lengths[] = {(int)(bytes / PIECE_BYTES), (int)(bytes % PIECE_BYTES)};
    MPI_Aint places[] = {0, (MPI_Aint)(bytes - bytes % PIECE_BYTES)};
    MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_BYTE};
    int rc = MPI_Type_contiguous((int)PIECE_BYTES, MPI_BYTE, &types[0]);

    if (rc != MPI_SUCCESS)
        return rc;
    rc = MPI_Type_create_struct(lengths[1] > 0 ? 2 : 1, lengths, places, types, type);
    MPI_Type_free(&types[0]);
    return rc;
}

static int make_block(uint64_t bytes, MPI_Datatype *type)
{
    if (bytes <= INT_MAX)
        return MPI_Type_contiguous((int)bytes, MPI_BYTE, type);
    return make_long_block(bytes, type);
}

static int make_type(enum weir_mpiio_view view, const struct weir_file_part *part,
                     MPI_Datatype *type)
{
    MPI_Aint stride = (MPI_Aint)part->stride_bytes;
    MPI_Datatype block;
    int rc = make_block(part->block_bytes, &block);

    if (rc != MPI_SUCCESS)
        return rc;
    rc = view == WEIR_MPIIO_VIEW_WHOLE
             ? MPI_Type_create_hvector((int)part->block_count, 1, stride, block, type)
             : MPI_Type_create_resized(block, 0, stride, type);
    MPI_Type_free(&block);
    return rc;
}

int weir_mpiio_view_set(MPI_File handle, enum weir_mpiio_view view,
                        const struct weir_file_part *part)
{
    MPI_Datatype type;
    int rc = make_type(view, part, &type);

    if (rc != MPI_SUCCESS)
        return rc;
    rc = MPI_Type_commit(&type);
    if (rc == MPI_SUCCESS)
        rc = MPI_File_set_view(handle, (MPI_Offset)part->first_byte, MPI_BYTE, type, "native",
                               MPI_INFO_NULL);
    MPI_Type_free(&type);
    return rc;
}

uint64_t weir_mpiio_view_bytes(const struct weir_file_part *part, uint64_t end)
{
    uint64_t from_first = end > part->first_byte ? end - part->first_byte : 0;
    uint64_t block = from_first / part->stride_bytes;
    uint64_t in_block = from_first % part->stride_bytes;

    if (block >= part->block_count)
        return part->block_count * part->block_bytes;
    return block * part->block_bytes +
           (in_block < part->block_bytes ? in_block : part->block_bytes);
}

bool weir_mpiio_view_find(const struct weir_file_part *part, bool spans_blocks, uint64_t offset,
                          uint64_t size, uint64_t *position)
{
    uint64_t from_first = offset - part->first_byte;
    uint64_t block = from_first / part->stride_bytes;
    uint64_t in_block = from_first % part->stride_bytes;
    bool is_solid = part->stride_bytes == part->block_bytes;

    if (offset < part->first_byte || block >= part->block_count || in_block >= part->block_bytes)
        return false;
    *position = block * part->block_bytes + in_block;
    return size <= (is_solid || spans_blocks ? part->block_count * part->block_bytes - *position
                                             : part->block_bytes - in_block);
}
