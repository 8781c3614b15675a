/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 reads a rankfile, once for all. */
#include "rankfile_text.h"

#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file as a string, with its NUL. */
static void read_file(const char *path, char **text, uint64_t *bytes, struct weir_error *error)
{
    struct weir_text read = {0};

    if (weir_bindings_read_rankfile(path, &read, error) == 0) {
        *bytes = read.length + 1;
        *text = strdup(weir_text_string(&read));
        if (*text == NULL)
            weir_error_out_of_memory();
    }
    weir_text_close(&read);
}

/* `bytes` of rank 0's text, to all that have none. */
static int share_text(struct weir_group *group, char **text, uint64_t bytes,
                      struct weir_error *error)
{
    int code = weir_group_broadcast(group, &bytes, sizeof bytes, 0);

    if (code == 0 && *text == NULL)
        *text = malloc(bytes);
    if (weir_group_any(group, code != 0 || *text == NULL))
        code = code != 0 ? code : -ENOMEM;
    if (code == 0)
        code = weir_group_broadcast(group, *text, bytes, 0);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "--pin rankfile",
                       "the ranks cannot share it: %s", strerror(-code));
    return weir_group_agree(group, error);
}

int weir_rankfile_text_read(struct weir_group *group, const struct weir_pinning *pinning,
                            char **text, struct weir_error *error)
{
    char *mine = NULL;
    uint64_t bytes = 0;

    if (pinning->policy != WEIR_PIN_RANKFILE)
        return 0;
    assert(pinning->rankfile_path != NULL);
    if (group->rank == 0)
        read_file(pinning->rankfile_path, &mine, &bytes, error);
    if (weir_group_agree(group, error) == 0)
        share_text(group, &mine, bytes, error);
    if (!weir_error_is_set(error)) {
        *text = mine;
        return 0;
    }
    free(mine);
    return error->code;
}
