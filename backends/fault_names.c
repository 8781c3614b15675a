/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the inner backend, if it has any, and faults in what is done with them. */
#include "fault.h"

#include <errno.h>

static const struct weir_name_ops no_names;

static const struct weir_name_ops *inner_names_of(struct weir_session *session)
{
    const struct weir_name_ops *names = weir_fault_session(session)->inner->backend->names;

    return names ? names : &no_names;
}

static struct weir_session *inner_of(struct weir_session *session)
{
    return weir_fault_session(session)->inner;
}

/* 0 if the inner backend is to do it. */
static int begin(struct weir_session *session, enum weir_op_verb verb, bool is_there)
{
    return is_there ? weir_fault_stage(weir_fault_session(session), verb) : -ENOSYS;
}

static int look(struct weir_session *session, const char *path, struct weir_name_facts *facts,
                int (*stat)(struct weir_session *session, const char *path,
                            struct weir_name_facts *facts))
{
    int rc = begin(session, WEIR_OP_STAT, stat != NULL);

    if (rc == 0)
        rc = stat(inner_of(session), path, facts);
    if (rc == 0)
        weir_fault_hide_bytes(weir_fault_session(session), facts);
    return rc;
}

static int fault_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts)
{
    return look(session, path, facts, inner_names_of(session)->stat);
}

static int fault_stat_item(struct weir_session *session, const char *path,
                           struct weir_name_facts *facts)
{
    const struct weir_name_ops *names = inner_names_of(session);

    return look(session, path, facts, names->stat_item ? names->stat_item : names->stat);
}

static int fault_stat_target(struct weir_session *session, const char *path,
                             struct weir_name_facts *facts)
{
    const struct weir_name_ops *names = inner_names_of(session);

    return names->stat_target != NULL ? look(session, path, facts, names->stat_target)
                                      : fault_stat_item(session, path, facts);
}

static int fault_unlink(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_UNLINK, names->unlink != NULL);

    return rc < 0 ? rc : names->unlink(inner_of(session), path);
}

static int fault_mkdir(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_MKDIR, names->mkdir != NULL);

    inner_of(session)->directory_mode = session->directory_mode;
    return rc < 0 ? rc : names->mkdir(inner_of(session), path);
}

static int fault_rmdir(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_RMDIR, names->rmdir != NULL);

    return rc < 0 ? rc : names->rmdir(inner_of(session), path);
}

static int fault_rename(struct weir_session *session, const char *path, const char *new_path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_RENAME, names->rename != NULL);

    return rc < 0 ? rc : names->rename(inner_of(session), path, new_path);
}

static int fault_mknod(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_MKNOD, names->mknod != NULL);

    return rc < 0 ? rc : names->mknod(inner_of(session), path);
}

static int fault_link(struct weir_session *session, const char *path, const char *new_path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_LINK, names->link != NULL);

    return rc < 0 ? rc : names->link(inner_of(session), path, new_path);
}

static int fault_symlink(struct weir_session *session, const char *path, const char *new_path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_SYMLINK, names->symlink != NULL);

    return rc < 0 ? rc : names->symlink(inner_of(session), path, new_path);
}

static int fault_chmod(struct weir_session *session, const char *path, unsigned mode)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_CHMOD, names->chmod != NULL);

    return rc < 0 ? rc : names->chmod(inner_of(session), path, mode);
}

static int fault_setxattr(struct weir_session *session, const char *path,
                          const unsigned char value[WEIR_XATTR_BYTES])
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_SETXATTR, names->setxattr != NULL);

    return rc < 0 ? rc : names->setxattr(inner_of(session), path, value);
}

static int fault_getxattr(struct weir_session *session, const char *path,
                          unsigned char value[WEIR_XATTR_BYTES])
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_GETXATTR, names->getxattr != NULL);

    return rc < 0 ? rc : names->getxattr(inner_of(session), path, value);
}

static int fault_list(struct weir_session *session, const char *path, weir_name_visit *visit,
                      void *context, struct weir_name_facts *facts, uint64_t *found)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_LIST, names->list != NULL);

    return rc < 0 ? rc : names->list(inner_of(session), path, visit, context, facts, found);
}

static int fault_sync_all(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);
    int rc = begin(session, WEIR_OP_SYNC, names->sync_all != NULL);

    return rc < 0 ? rc : names->sync_all(inner_of(session), path);
}

static int fault_check(struct weir_session *session, const char *path, struct weir_error *error)
{
    const struct weir_name_ops *names = inner_names_of(session);

    return names->check ? names->check(inner_of(session), path, error) : 0;
}

static int fault_alignment(struct weir_session *session, const char *path,
                           struct weir_alignment *alignment)
{
    const struct weir_name_ops *names = inner_names_of(session);

    if (names->alignment)
        return names->alignment(inner_of(session), path, alignment);
    *alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    return 0;
}

static const char *fault_kernel_path(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);

    return names->kernel_path ? names->kernel_path(inner_of(session), path) : path;
}

const struct weir_name_ops weir_fault_name_ops = {
    .stat = fault_stat,
    .stat_item = fault_stat_item,
    .stat_target = fault_stat_target,
    .unlink = fault_unlink,
    .mkdir = fault_mkdir,
    .rmdir = fault_rmdir,
    .rename = fault_rename,
    .mknod = fault_mknod,
    .link = fault_link,
    .symlink = fault_symlink,
    .chmod = fault_chmod,
    .setxattr = fault_setxattr,
    .getxattr = fault_getxattr,
    .list = fault_list,
    .sync_all = fault_sync_all,
    .check = fault_check,
    .alignment = fault_alignment,
    .kernel_path = fault_kernel_path,
};
