/* SPDX-License-Identifier: Apache-2.0 */
/* Files on Lustre: stripes and pool through llapi_layout(7), transfers without locks by ioctl.
 * Written from the manual pages of liblustreapi; tried with a stand-in for it only. */
#include "striping.h"

#include <errno.h>
#include <fcntl.h>
#include <lustre/lustreapi.h>
#include <sys/ioctl.h>

enum { LUSTRE_MAGIC = 0x0BD00BD0, STRIPE_GRANULE = 65536 };

static bool has_layout(const struct weir_lustre_options *lustre)
{
    return lustre->stripe_count != 0 || lustre->stripe_bytes != 0 || lustre->start_ost != -1 ||
           lustre->pool;
}

static bool lustre_is_asked(const struct weir_striping_options *options)
{
    return has_layout(&options->lustre) || options->lustre.must_ignore_locks != 0;
}

static int lustre_check(const struct weir_striping_options *options, const char *place,
                        struct weir_error *error)
{
    const struct weir_lustre_options *lustre = &options->lustre;

    if (lustre->stripe_count < -1)
        return weir_error_usage(error, place,
                                "--posix.lustre.stripecount: %lld is not a count of OSTs: give 1 "
                                "or more, -1 for all, or 0 for what the directory says",
                                (long long)lustre->stripe_count);
    if (lustre->stripe_bytes % STRIPE_GRANULE != 0)
        return weir_error_usage(error, place,
                                "--posix.lustre.stripesize: %lld bytes are not a multiple of 64k, "
                                "as Lustre's stripes are: give 64k, 1m or the like",
                                (long long)lustre->stripe_bytes);
    if (lustre->start_ost < -1)
        return weir_error_usage(error, place,
                                "--posix.lustre.startost: %lld is not the number of an OST: give "
                                "0 or more, or -1 for any",
                                (long long)lustre->start_ost);
    return 0;
}

static int fill_layout(const struct weir_lustre_options *lustre, struct llapi_layout *layout)
{
    uint64_t count =
        lustre->stripe_count == -1 ? LLAPI_LAYOUT_WIDE : (uint64_t)lustre->stripe_count;

    if (lustre->stripe_count != 0 && llapi_layout_stripe_count_set(layout, count) != 0)
        return -errno;
    if (lustre->stripe_bytes != 0 &&
        llapi_layout_stripe_size_set(layout, (uint64_t)lustre->stripe_bytes) != 0)
        return -errno;
    if (lustre->start_ost != -1 &&
        llapi_layout_ost_index_set(layout, 0, (uint64_t)lustre->start_ost) != 0)
        return -errno;
    if (lustre->pool && llapi_layout_pool_name_set(layout, lustre->pool) != 0)
        return -errno;
    return 0;
}

/* The library makes the file first and gives it its layout then, so no other process may open it in
 * between: see posix_files.c. */
static int lustre_create(struct weir_striped *file, const char *path, int flags, mode_t mode)
{
    const struct weir_lustre_options *lustre = &file->options->lustre;
    struct llapi_layout *layout = NULL;
    int fd;

    if (has_layout(lustre)) {
        layout = llapi_layout_alloc();
        if (!layout)
            return -errno;
        fd = fill_layout(lustre, layout);
        if (fd < 0)
            goto free_layout;
    }
    /* Without a layout the library leaves it to the directory. The cast is for old versions of it,
     * whose path is not const. */
    fd = llapi_layout_file_create((char *)path, flags, (int)mode, layout);
    if (fd < 0)
        fd = -errno;
free_layout:
    if (layout)
        llapi_layout_free(layout);
    return fd;
}

static int lustre_opened(struct weir_striped *file, int fd)
{
    long flags = LL_FILE_IGNORE_LOCK;

    if (file->options->lustre.must_ignore_locks == 0)
        return 0;
    return ioctl(fd, LL_IOC_SETFLAGS, &flags) == 0 ? 0 : -errno;
}

extern const struct weir_striping weir_striping_lustre;

const struct weir_striping weir_striping_lustre = {
    .label = "Lustre",
    .options = "--posix.lustre.*",
    .magic = LUSTRE_MAGIC,
    .is_asked = lustre_is_asked,
    .check = lustre_check,
    .create = lustre_create,
    .opened = lustre_opened,
};
