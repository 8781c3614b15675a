/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for libgpfs: the hints that weir gives, after IBM's pages on gpfs_fcntl(). */
#ifndef WEIR_MOCKS_GPFS_FCNTL_H
#define WEIR_MOCKS_GPFS_FCNTL_H

#define GPFS_FCNTL_CURRENT_VERSION 1

#define GPFS_ACCESS_RANGE 1001
#define GPFS_FREE_RANGE 1002
#define GPFS_FINE_GRAIN_WRITE_SHARING 1005
#define GPFS_FINE_GRAIN_READ_SHARING 1007
#define GPFS_CREATE_SHARING 1008
#define GPFS_CANCEL_HINTS 2001

typedef struct {
    int totalLength;
    int fcntlVersion;
    int errorOffset;
    int fcntlReserved;
} gpfsFcntlHeader_t;

typedef struct {
    int structLen;
    int structType;
    long long start;
    long long length;
    int isWrite;
    char padding[4];
} gpfsAccessRange_t;

typedef struct {
    int structLen;
    int structType;
    long long start;
    long long length;
} gpfsFreeRange_t;

typedef struct {
    int structLen;
    int structType;
    int fineGrainWriteSharing;
    int taskId;
    int totalTasks;
    int recordSize;
} gpfsFineGrainWriteSharing_t;

typedef struct {
    int structLen;
    int structType;
    int fineGrainReadSharing;
    char padding[4];
} gpfsFineGrainReadSharing_t;

typedef struct {
    int structLen;
    int structType;
    int enable;
    char padding[4];
} gpfsCreateSharing_t;

typedef struct {
    int structLen;
    int structType;
} gpfsCancelHints_t;

/* -1 and errno on failure. */
int gpfs_fcntl(int fd, void *argument);

#endif
