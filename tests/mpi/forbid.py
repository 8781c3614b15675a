# SPDX-License-Identifier: Apache-2.0
"""forbid.py ERRNO NUMBER COMMAND...: runs a command for which a system call fails as if the kernel did not have it, or did
not let it: a seccomp filter, which needs no privileges and holds for all that the command starts."""
import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
LOAD_NUMBER, IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # of classic BPF; the number is the first word of what it looks at
FAIL, ALLOW = 0x00050000, 0x7FFF0000


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


def main():
    error = getattr(errno, sys.argv[1])
    program = b"".join([instruction(LOAD_NUMBER, 0), instruction(IF_EQUAL, int(sys.argv[2]), 0, 1),
                        instruction(RETURN, FAIL | error), instruction(RETURN, ALLOW)])
    code = ctypes.create_string_buffer(program, len(program))
    filters = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    long = ctypes.c_ulong
    if (libc.prctl(PR_SET_NO_NEW_PRIVS, long(1), long(0), long(0), long(0))
            or libc.prctl(PR_SET_SECCOMP, long(SECCOMP_MODE_FILTER), filters, long(0), long(0))):
        sys.exit(77)
    os.execvp(sys.argv[3], sys.argv[3:])


main()
