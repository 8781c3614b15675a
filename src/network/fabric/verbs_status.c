/* SPDX-License-Identifier: Apache-2.0 */
/* What the statuses of completions on a reliable connection mean: an errno for the operation, a
 * sentence for people. */
#include "verbs.h"

#include <errno.h>

static const struct {
    int code;
    const char *text;
} statuses[] = {
    [IBV_WC_SUCCESS] = {0, "done"},
    [IBV_WC_LOC_LEN_ERR] = {-EMSGSIZE, "longer than the port carries at once, or than the buffer "
                                       "that was to receive it"},
    [IBV_WC_LOC_QP_OP_ERR] = {-EINVAL, "the queue pair does not take such a request"},
    [IBV_WC_LOC_PROT_ERR] = {-EFAULT, "memory of this end is not registered for it"},
    [IBV_WC_WR_FLUSH_ERR] = {-ECANCELED, "the queue pair failed before its turn came"},
    [IBV_WC_BAD_RESP_ERR] = {-EBADMSG, "the peer's answer makes no sense"},
    [IBV_WC_LOC_ACCESS_ERR] = {-EACCES, "memory of this end may not be written by it"},
    [IBV_WC_REM_INV_REQ_ERR] = {-EPROTO, "the peer calls the request invalid: longer than its "
                                         "buffer, or of a kind that it does not answer"},
    [IBV_WC_REM_ACCESS_ERR] = {-EACCES, "the peer's memory may not be touched there: wrong key, "
                                        "out of its range, or closed meanwhile"},
    [IBV_WC_REM_OP_ERR] = {-EREMOTEIO, "the peer could not do it"},
    [IBV_WC_RETRY_EXC_ERR] = {-ETIMEDOUT, "the peer does not answer: it is gone, or packets are "
                                          "lost on the way; look at both GIDs, the route between "
                                          "them and the MTU of every switch"},
    [IBV_WC_RNR_RETRY_EXC_ERR] = {-ENOBUFS, "the peer had no buffer for the message, time and "
                                            "again"},
    [IBV_WC_REM_ABORT_ERR] = {-ECONNABORTED, "the peer gave it up"},
    [IBV_WC_FATAL_ERR] = {-EIO, "the device failed: dmesg tells more"},
    [IBV_WC_RESP_TIMEOUT_ERR] = {-ETIMEDOUT, "the answer did not come in time"},
    [IBV_WC_GENERAL_ERR] = {-EIO, "the device failed in a way that it does not name: dmesg may "
                                  "tell more"},
};

static bool is_known(enum ibv_wc_status status)
{
    return (size_t)status < sizeof statuses / sizeof *statuses && statuses[status].text != NULL;
}

int weir_verbs_status_code(enum ibv_wc_status status)
{
    return is_known(status) ? statuses[status].code : -EIO;
}

const char *weir_verbs_status_text(enum ibv_wc_status status)
{
    return is_known(status) ? statuses[status].text : "what no reliable connection should say";
}
