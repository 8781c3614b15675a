/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for liblustreapi: the names that weir uses, after the manual pages llapi_layout(7). */
#ifndef WEIR_MOCKS_LUSTREAPI_H
#define WEIR_MOCKS_LUSTREAPI_H

#include <stdint.h>
#include <sys/ioctl.h>

struct llapi_layout;

#define LLAPI_LAYOUT_DEFAULT UINT64_C(0x1000000000000001)
#define LLAPI_LAYOUT_WIDE UINT64_C(0x1000000000000002)

#define LL_IOC_SETFLAGS _IOW('f', 152, long)
#define LL_FILE_IGNORE_LOCK 0x00000001

/* Each -1 and errno on failure. */
struct llapi_layout *llapi_layout_alloc(void);
void llapi_layout_free(struct llapi_layout *layout);
int llapi_layout_stripe_count_set(struct llapi_layout *layout, uint64_t stripe_count);
int llapi_layout_stripe_size_set(struct llapi_layout *layout, uint64_t stripe_size);
int llapi_layout_ost_index_set(struct llapi_layout *layout, int stripe_number, uint64_t ost_index);
int llapi_layout_pool_name_set(struct llapi_layout *layout, const char *pool_name);
/* Opens with O_CREAT and O_EXCL besides; the layout may be NULL. */
int llapi_layout_file_create(char *path, int open_flags, int mode,
                             const struct llapi_layout *layout);

#endif
