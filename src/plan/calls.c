/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of programs: one row for each. */
#include "weir/plan/program.h"

#include <strings.h>

/* Verbs as the room io numbers them, which stands above this one. */
enum { WRITE, READ, SYNC, OPEN, CLOSE, STAT, MKDIR, UNLINK, RMDIR, RENAME, LINK = 11, LIST = 16 };
enum { CREATE = 17, LOOKUP = 19 };

#define ROW(call_word, call_label, call_arguments, call_verb, call_help)                           \
    .word = (call_word), .label = (call_label), .arguments = (call_arguments),                     \
    .help = (call_help), .verb = (call_verb)
#define TIMED .is_timed = true
#define DATA .is_timed = true, .moves_data = true
#define WRITES .writes = true
#define HANDLE .gives_handle = true
#define TOGETHER .is_together = true

const struct weir_call_row weir_calls[WEIR_CALL_COUNT] = {
    [WEIR_CALL_WRITE] = {ROW("write", "Write", "NSo", WRITE,
                             "write(name, size [, offset]): make or empty a file, and write"),
                         DATA, WRITES},
    [WEIR_CALL_APPEND] = {ROW("append", "Append", "NS", WRITE,
                              "append(name, size): write at the end of a file, made if missing"),
                          DATA, WRITES},
    [WEIR_CALL_READ] = {ROW("read", "Read", "Nso", READ,
                            "read(name [, size [, offset]]): read a file, or a part of it"),
                        DATA},
    [WEIR_CALL_DIRECT_WRITE] = {ROW("dwrite", "DWrite", "NSo", WRITE,
                                    "dwrite(name, size [, offset]): write past the page cache"),
                                DATA, WRITES},
    [WEIR_CALL_DIRECT_READ] = {ROW("dread", "DRead", "Nso", READ,
                                   "dread(name [, size [, offset]]): read past the page cache"),
                               DATA},
    [WEIR_CALL_CREATE] = {ROW("create", "Create", "N", CREATE,
                              "create(name): make or empty a file, and close it"),
                          TIMED, WRITES},
    [WEIR_CALL_DELETE] = {ROW("delete", "Delete", "N", UNLINK,
                              "delete(name): remove a file or an empty directory"),
                          TIMED, WRITES},
    [WEIR_CALL_MKDIR] = {ROW("mkdir", "Mkdir", "N", MKDIR, "mkdir(name): make a directory"), TIMED,
                         WRITES},
    [WEIR_CALL_RMDIR] = {ROW("rmdir", "Rmdir", "N", RMDIR,
                             "rmdir(name): remove an empty directory"),
                         TIMED, WRITES},
    [WEIR_CALL_RENAME] = {ROW("rename", "Rename", "NN", RENAME,
                              "rename(old, new): give a file another name"),
                          TIMED, WRITES},
    [WEIR_CALL_LINK] = {ROW("link", "Link", "NN", LINK,
                            "link(name, new): give a file a second name"),
                        TIMED, WRITES},
    [WEIR_CALL_LOOKUP] = {ROW("lookup", "Lookup", "N", LOOKUP,
                              "lookup(name): look whether there is such a name"),
                          TIMED},
    [WEIR_CALL_STAT] = {ROW("stat", "Stat", "N", STAT, "stat(name): get the attributes of a name"),
                        TIMED},
    [WEIR_CALL_LIST] = {ROW("list", "List", "N", LIST, "list(name): read the names in a directory"),
                        TIMED},
    [WEIR_CALL_FOPEN] = {ROW("fopen", "FOpen", "NM", OPEN,
                             "$f = fopen(name, mode): open a file; r, w, a, r+, w+, a+, or flags "
                             "such as O_RDWR"),
                         TIMED, HANDLE},
    [WEIR_CALL_FCREAT] = {ROW("fcreat", "FCreat", "N", OPEN,
                              "$f = fcreat(name): make or empty a file, open for writing"),
                          TIMED, HANDLE, WRITES},
    [WEIR_CALL_FCLOSE] = {ROW("fclose", "FClose", "H", CLOSE, "fclose($f): close a file"), TIMED},
    [WEIR_CALL_FWRITE] = {ROW("fwrite", "FWrite", "HSo", WRITE,
                              "fwrite($f, size [, offset]): write, where the file is or at an "
                              "offset"),
                          DATA, WRITES},
    [WEIR_CALL_FREAD] = {ROW("fread", "FRead", "Hso", READ,
                             "fread($f [, size [, offset]]): read, where the file is or at an "
                             "offset; without a size the whole file"),
                         DATA},
    [WEIR_CALL_FSEEK] = {ROW("fseek", "FSeek", "HOw", STAT,
                             "fseek($f, offset [, whence]): go on at an offset from SEEK_SET, "
                             "SEEK_CUR or SEEK_END"),
                         TIMED},
    [WEIR_CALL_FSYNC] = {ROW("fsync", "FSync", "H", SYNC,
                             "fsync($f): bring the data of a file to stable storage"),
                         TIMED},
    [WEIR_CALL_PWRITE] = {ROW("pwrite", "PWrite", "NP", WRITE,
                              "pwrite(name, pattern): open, write after a pattern, close"),
                          DATA, WRITES, TOGETHER},
    [WEIR_CALL_PREAD] = {ROW("pread", "PRead", "NP", READ,
                             "pread(name, pattern): open, read after a pattern, close"),
                         DATA, TOGETHER},
    [WEIR_CALL_PFOPEN] = {ROW("pfopen", "PFOpen", "Nm", OPEN,
                              "$f = pfopen(name [, mode]): open a file with all ranks of the "
                              "group, for reading and writing"),
                          HANDLE, WRITES, TOGETHER},
    [WEIR_CALL_PFWRITE] = {ROW("pfwrite", "PFWrite", "HP", WRITE,
                               "pfwrite($f, pattern): write after a pattern"),
                           DATA, WRITES, TOGETHER},
    [WEIR_CALL_PFREAD] = {ROW("pfread", "PFRead", "HP", READ,
                              "pfread($f, pattern): read after a pattern"),
                          DATA, TOGETHER},
    [WEIR_CALL_PFCLOSE] = {ROW("pfclose", "PFClose", "H", CLOSE,
                               "pfclose($f): close a file with all ranks of the group"),
                           TOGETHER},
    [WEIR_CALL_PDELETE] = {ROW("pdelete", "PDelete", "N", UNLINK,
                               "pdelete(name): remove a file through MPI-IO"),
                           WRITES},
    [WEIR_CALL_NAMED_OPEN] = {ROW("open", "Open", "N", OPEN, "the open of a call by name")},
    [WEIR_CALL_NAMED_CLOSE] = {ROW("close", "Close", "H", CLOSE, "the close of a call by name")},
};

enum weir_call weir_call_find(const char *word, size_t length)
{
    for (enum weir_call call = WEIR_CALL_WRITE; call < WEIR_CALL_WORDS; call++)
        if (strncasecmp(weir_calls[call].word, word, length) == 0 &&
            weir_calls[call].word[length] == '\0')
            return call;
    return (enum weir_call)WEIR_CALL_COUNT;
}
