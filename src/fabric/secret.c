/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets: read, drawn, and proven by HMAC-SHA256 without being shown. */
#include "weir/fabric/fabric.h"

#include <errno.h>

int weir_secret_read(const char *path, unsigned char secret[WEIR_SECRET_BYTES],
                     struct weir_error *error)
{
    (void)secret;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, path, "not built yet");
}

int weir_secret_draw(unsigned char secret[WEIR_SECRET_BYTES])
{
    (void)secret;
    return -ENOSYS;
}
