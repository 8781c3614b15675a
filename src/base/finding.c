/* SPDX-License-Identifier: Apache-2.0 */
/* The table of findings, and those of evidence and verdicts. */
#include "weir/base/finding.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *const weir_effect_names[3] = {
    [WEIR_INFORM] = "inform", [WEIR_QUALIFY] = "qualify", [WEIR_VOID] = "void"};

const char *const weir_severity_names[2] = {[WEIR_NOTE] = "note", [WEIR_WARNING] = "warning"};

const char *const weir_measure_names[3] = {[WEIR_MEASURE_STORAGE] = "storage",
                                           [WEIR_MEASURE_CACHE] = "cache",
                                           [WEIR_MEASURE_MEMORY] = "memory"};

const char *const weir_evidence_state_names[4] = {
    [WEIR_NOT_ASKED] = "",
    [WEIR_CANNOT_OBSERVE] = "cannot be observed here",
    [WEIR_NOT_SEEN] = "not seen",
    [WEIR_SEEN] = "seen",
};

const struct weir_evidence_row weir_evidence_rows[WEIR_EVIDENCE_COUNT] = {
    [WEIR_EVIDENCE_PAGE_CACHE] = {"page-cache", "data that were read from the page cache", true},
    [WEIR_EVIDENCE_SUPPLIED] = {"supplied", "data that no device or server supplied", true},
    [WEIR_EVIDENCE_STORED] = {"stored", "written data that were still in memory", true},
    [WEIR_EVIDENCE_SYNCED] = {"synced", "syncs without effect", true},
    [WEIR_EVIDENCE_NAMES] = {"names", "names that a cache answered", true},
    [WEIR_EVIDENCE_CPU] = {"cpu", "ranks that waited for a CPU", false},
};

const char *const weir_believed_names[WEIR_BELIEVED_COUNT] = {
    [WEIR_BELIEVED_OK] = "OK",
    [WEIR_BELIEVED_CAUTION] = "CAUTION",
    [WEIR_BELIEVED_UNVERIFIED] = "UNVERIFIED",
    [WEIR_BELIEVED_PARTIAL] = "PARTIAL",
    [WEIR_BELIEVED_DO_NOT_USE] = "DO NOT USE",
    [WEIR_BELIEVED_WRONG_DATA] = "WRONG DATA",
};

const struct weir_finding_row weir_finding_rows[WEIR_FINDING_COUNT] = {
    [WEIR_FINDING_ABOVE_MEMORY] =
        {
            .name = "above-memory",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "a flow of weir net was faster than a copy from memory to memory",
            .detection =
                "the fastest flow, and the best part of one, against the memory copy of the same "
                "report; not over verbs, nor over MPI between hosts, where adapters move the data",
            .threshold = "the rate of the memory copy of one core",
            .remedy = "a --working-set larger than the CPU's cache",
            .test = "unit.net_result, mpi.net: a small working set, and a large one",
            .page = "net",
        },
    [WEIR_FINDING_ABSENT] =
        {
            .name = "absent",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning =
                "names that were to be removed were not there, and this run had not made them; "
                "the rate counts those that were",
            .detection = "removals that ended with ENOENT",
            .threshold = "one",
            .test = "mpi.mdtest",
            .page = "mdtest",
        },
    [WEIR_FINDING_BUFFERED_DIRECT] =
        {
            .name = "buffered-direct",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "direct I/O was asked for, and the file system buffered it",
            .detection =
                "after a phase of direct I/O the page cache has pages of the file that it did "
                "not have before (cachestat, mincore)",
            .threshold = "10 % of the bytes moved, and 256 KiB: opening a file may read that much",
            .remedy = "a file system without a journal of data, checksums or compression for these "
                      "files",
            .test = "mpi.supply: ext4 with data=journal; the twins are ext4 and xfs",
            .page = "page-cache",
        },
    [WEIR_FINDING_CHECKED_BEFORE] =
        {
            .name = "checked-before",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "-W has read the same data before, through the page cache",
            .detection = "the plan; only where the kernel does not report residency",
            .threshold = "any",
            .remedy = "verify with -R instead, or --direct",
            .test = "unit.audit: -W before a random shift; the twin shifts by nodes",
            .page = "page-cache",
        },
    [WEIR_FINDING_CLIENT_CACHE] =
        {
            .name = "client-cache",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning =
                "neither the page cache nor a network supplied the bytes, or synced writes did not "
                "leave the node: the client of the file system (ceph-fuse, the page pool of GPFS) "
                "has a cache of its own, or the server is this node",
            .detection =
                "bytes of the phase less those that were in the page cache, against the client's "
                "statistics of the mount (NFS, Lustre, CephFS), else network and RDMA ports; of "
                "GPFS and unknown FUSE types, ports and all disks of the node",
            .threshold = "half of the bytes, as transports may compress and ranks of a node may "
                         "read the same data; 5 % where the counters are those of the mount and "
                         "the transfers direct; from 1 MiB on",
            .remedy = "read on another node than the one that wrote, remount before the reads, or "
                      "move more data than the cache holds; --drop-caches does not reach it",
            .test = "mpi.lower_caches: a FUSE daemon that answers from its memory, and one that "
                    "passes each transfer to the disk",
            .page = "page-cache",
        },
    [WEIR_FINDING_CLOCK_DRIFT] =
        {
            .name = "clock-drift",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the clock of a node runs faster or slower than those of other nodes, or "
                       "than its own kernel's",
            .detection =
                "offsets of nodes before and after a phase; Weir's clock and CLOCK_MONOTONIC_RAW "
                "by a system call, on the first rank of each node; of 3 nodes or more the one that "
                "stands alone is named, the first node included",
            .threshold = "500 ppm beyond the error of the comparison: oscillators are within 100 "
                         "ppm, and time services correct 500",
            .remedy = "check the clock source of that node and LD_PRELOAD; rates of such runs are "
                      "off by the drift",
            .test = "clock_gettime that runs 1 % fast by LD_PRELOAD (tests/mpi/pressure.sh), "
                    "drifts of 2 to 4 nodes in unit cases; silent without",
        },
    [WEIR_FINDING_CLOCK_ERROR] =
        {
            .name = "clock-error",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the clocks of the nodes agree to 1 % of the measured time at best",
            .detection = "round trips between nodes before and after a phase: half of the shortest "
                         "is the error",
            .threshold = "1 % of the transfer window: below, repetitions differ by more",
            .remedy = "a longer phase",
            .test = "unit cases around the threshold",
        },
    [WEIR_FINDING_COUNT_MISMATCH] =
        {
            .name = "count-mismatch",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "messages, bytes and times of weir net contradict each other, or exceed the "
                       "rate of the link",
            .detection = "messages times their size against bytes; the sum of latencies against "
                         "the time of the flows; rates of flows against the link",
            .threshold = "bytes exactly; times and rates 10 %",
            .remedy = "report it as a defect",
            .test = "unit.net_result: each of the three, and figures that agree",
        },
    [WEIR_FINDING_CPU_BOUND] =
        {
            .name = "cpu-bound",
            .former = {"processor-bound"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the CPUs of the ranks were busy all the time: this is what they can drive, "
                       "not what the storage can do",
            .detection =
                "CPU time of ranks against their transfer time, from depth 2 on; not where "
                "they poll",
            .threshold = "95 %",
            .remedy = "more ranks, larger transfers, a greater batch",
            .test = "unit.audit: 3.7 of 3.8 s; the twin 3.5",
            .page = "depth",
        },
    [WEIR_FINDING_CPU_CACHE] =
        {
            .name = "cpu-cache",
            .former = {"cached"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the memory that each flow goes round in fits into the CPU's cache, and "
                       "flows come near to what memory can do",
            .detection = "the working set against the largest cache; the fastest flow against the "
                         "memory copy of the report",
            .threshold = "50 % of the memory copy: below, memory is not the limit",
            .remedy = "a larger --working-set",
            .test = "unit.net_result: flows at 30 % and 80 % of the memory copy",
            .page = "net",
        },
    [WEIR_FINDING_CPU_PRESSURE] =
        {
            .name = "cpu-pressure",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a rank was ready to run and waited for a CPU that processes outside of the "
                       "job used",
            .detection =
                "run delay of /proc/thread-self/schedstat, from the start of a phase to the rank's "
                "last stamp; load average, and in phases of a second or more the busiest other "
                "process; waits that ranks of the node cause one another (oversubscribed, "
                "shared-core) or a quota (throttled) are not counted",
            .threshold = "10 % of a rank's time, and 20 ms: ranks alone on their cores wait for 1 "
                         "to 5 %, beside one busy process per core for 33 % or more; where ranks "
                         "share cores, 15 % more than these explain",
            .remedy = "end the other processes, or use an idle node (srun --exclusive)",
            .test = "busy loops on the CPUs of the ranks (tests/mpi/pressure.sh); silent with "
                    "ranks of high priority",
        },
    [WEIR_FINDING_DATA_IN_FLIGHT] =
        {
            .name = "data-in-flight",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "filling or verifying buffers took a part of the ranks' time while transfers "
                "were in flight, or due by a rate; what that cost is not known",
            .detection = "time of filling and verifying",
            .threshold = "10 %",
            .remedy = "more ranks, or cheaper data (--data stamp)",
            .test = "unit.audit: 20 %; the twin 10 %",
            .page = "depth",
        },
    [WEIR_FINDING_DATA_SHARE] =
        {
            .name = "data-share",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks spent a part of their time on making or checking data while nothing "
                       "was in flight; the rate is lower by that",
            .detection = "time in the buffers against the time of transfers, per rank",
            .threshold = "10 %: less changes the rate by less than repetitions differ",
            .remedy = "more ranks, cheaper data, or a greater depth",
            .test = "unit.audit",
            .page = "depth",
        },
    [WEIR_FINDING_DEGRADED] =
        {
            .name = "degraded",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the storage lacks a disk, a path or a server, or lost one during the test",
            .detection = "md/degraded and states of multipath devices, missing btrfs devices, the "
                         "state of a ZFS pool, inactive OSTs of Lustre, OSDs of the Ceph map (as "
                         "root), bricks of GlusterFS that are not connected; read before each test "
                         "and after phases of a second",
            .threshold = "one part",
            .remedy = "repair the storage, and measure again",
            .test = "mpi.spread, unit.storage, unit.spread: btrfs of two devices without one of "
                    "them; recorded trees; whole ones",
        },
    [WEIR_FINDING_DEPTH_EDGE] =
        {
            .name = "depth-edge",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "the best depth was the greatest that was tried",
            .detection = "the search for a depth",
            .threshold = "the last point",
            .remedy = "--depth auto:N with a greater N",
            .test = "unit.audit: the edge of a curve, and one below it",
            .page = "depth",
        },
    [WEIR_FINDING_DEPTH_NOT_REACHED] =
        {
            .name = "depth-not-reached",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "fewer transfers were in flight than --depth allows",
            .detection =
                "mean number in flight: transfers per second times their mean time (Little's "
                "law)",
            .threshold =
                "half of the depth: filling buffers, and the first and last transfers, take a "
                "part of every run",
            .remedy = "more data per rank, or more ranks",
            .test = "mpi.supply: four transfers at depth 16; the twin has 256 at depth 4",
            .page = "depth",
        },
    [WEIR_FINDING_DEPTHS_DIFFER] =
        {
            .name = "depths-differ",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning =
                "ranks had different numbers of operations on names in flight, as the kernel "
                "of some nodes queues fewer kinds, or items of a rank are not its own",
            .detection = "the least and the greatest depth of ranks",
            .threshold = "any difference",
            .remedy = "--depth 1, which is the same on all nodes",
            .test = "mpi.queue_verbs",
            .page = "mdtest",
        },
    [WEIR_FINDING_FAILED] =
        {
            .name = "failed",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "operations failed; the numbers are of what was done",
            .detection = "the results of all operations",
            .threshold = "one operation",
            .remedy = "the message names rank, file and cause",
            .test = "unit.audit, fault.injected",
        },
    [WEIR_FINDING_FAST_TARGET] =
        {
            .name = "fast-target",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "a storage target that was measured alone is faster than the others, by the "
                       "same rule as slow-target",
            .detection = "rates of targets that weir targets measured alone",
            .threshold = "as for slow-target",
            .test = "unit.peers",
            .page = "targets",
        },
    [WEIR_FINDING_FILE_SIZE] =
        {
            .name = "file-size",
            .former = {"size"},
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning =
                "the files are not as large as what was written; if they are smaller, the exit "
                "code is 1",
            .detection = "sizes of the files after a complete write",
            .threshold = "any byte",
            .remedy = "look at the file system; the data are incomplete",
            .test = "unit.audit, fault.injected",
        },
    [WEIR_FINDING_FITS_IN_MEMORY] =
        {
            .name = "fits-in-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning =
                "what a node reads fits into its memory, and the kernel does not report what "
                "is in the page cache",
            .detection = "bytes of a node against its memory, or that of its control groups",
            .threshold = "less than the memory",
            .remedy = "--direct, or --drop-caches",
            .test = "unit.audit: 2 MiB against 4 GiB; the twin has as much data as memory",
            .page = "page-cache",
        },
    [WEIR_FINDING_FITS_SERVER_MEMORY] =
        {
            .name = "fits-server-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "what was read from a network file system may have come from the memory of "
                       "its servers",
            .detection = "bytes of the read, the type of the file system, and the time of the last "
                         "change of the files",
            .threshold = "16 GiB, as few storage servers have less memory and each further server "
                         "adds its own; files older than a day are silent",
            .remedy = "move more data, or read files of an earlier day",
            .test = "unit.audit_names",
            .page = "page-cache",
        },
    [WEIR_FINDING_FLOW_ERRORS] =
        {
            .name = "flow-errors",
            .former = {"failed-flow"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "flows failed; sums leave them out",
            .detection = "the result of each flow",
            .threshold = "one flow",
            .remedy = "the sentence names the first and its cause",
            .test = "unit.net_result, mpi.net_frozen",
            .page = "net",
        },
    [WEIR_FINDING_FLOWS_LEFT_OUT] =
        {
            .name = "flows-left-out",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "there are more than 65,536 flows: of each measurement there are totals and "
                       "its worst flows, and no matrix",
            .detection = "the number of flows of a measurement",
            .threshold = "more than are kept",
            .remedy = "nothing; for all of them, fewer ranks, sizes or repetitions",
            .test = "unit.net_result",
            .page = "net",
        },
    [WEIR_FINDING_FOREIGN_IO] =
        {
            .name = "foreign-io",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "other processes used the devices or network ports of this storage during "
                       "the phase",
            .detection = "bytes of the devices (or ports) beyond those that this job moved; RAID, "
                         "data journals, metadata, partial blocks and what earlier phases left in "
                         "memory are taken off",
            .threshold = "32 MiB (ports: 64 MiB) and 30 % of what the job moved. Not of reads "
                         "through the page cache, which read ahead",
            .remedy = "measure when the devices are idle",
            .test = "mpi.spread, unit.spread: another writer on the file system, and none",
        },
    [WEIR_FINDING_IMBALANCE] =
        {
            .name = "imbalance",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "other ranks waited for the slowest one, which is named with its likely cause",
            .detection = "transfer times of ranks; waits for CPUs, quota, steal time, stops and "
                         "bytes of the slowest rank say why, and the finding that says the same of "
                         "its node explains this one",
            .threshold = "20 % of the others' time lost, of two ranks 30 %, in phases of 0.1 s or "
                         "more: quiet runs lose up to 10 %",
            .remedy = "remove the cause, or compare the node of the rank with others (--rank-csv, "
                      "weir targets)",
            .test = "a rank on a crowded core, a slow rank of the fault backend "
                    "(tests/mpi/pressure.sh), unit cases around the threshold",
        },
    [WEIR_FINDING_IN_MEMORY] =
        {
            .name = "in-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "the files or names, or the directory of a program, are on tmpfs or another "
                       "file system in memory: no storage had a part, direct I/O or not",
            .detection = "the type of the file system: tmpfs, ramfs, hugetlbfs",
            .threshold = "any",
            .remedy = "a directory on the storage (-o; of weir mdtest -d), or --measure memory",
            .test = "mpi.residency: /dev/shm; the twin is a disk",
            .page = "page-cache",
        },
    [WEIR_FINDING_INTERRUPTED] =
        {
            .name = "interrupted",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a signal, or the end of the job, ended it",
            .detection = "signals to any rank",
            .threshold = "one",
            .remedy = "nothing: the report covers the work until then",
            .test = "unit.audit, mpi.signals",
            .page = "slurm",
        },
    [WEIR_FINDING_IO_LIMIT] =
        {
            .name = "io-limit",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "a control group limits reads or writes of the devices behind the target; a "
                       "warning where the rate lies at the limit",
            .detection = "io.max of the group and its parents (version 2), blkio.throttle of the "
                         "group itself (version 1, whose parents the kernel ignores), before each "
                         "test; bytes that ranks and devices moved",
            .threshold = "a warning from 90 % of the limit on, up to 150 %: above that it does not "
                         "apply, as to buffered writes in version 1",
            .remedy = "lift io.max (docker --device-write-bps, systemd IOWriteBandwidthMax), or "
                      "report the limit with the figure",
            .test = "a limit of 8 MiB/s on a loop device (tests/mpi/pressure.sh), recorded trees "
                    "of both versions; silent without one",
        },
    [WEIR_FINDING_LATE_ISSUE] =
        {
            .name = "late-issue",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "a transfer was issued late although slots were free: most likely the rank did "
                "not run",
            .detection = "lag of open loops against the times of transfers",
            .threshold = "1 ms, 10 times the median and 2 times the longest transfer",
            .remedy = "free CPUs for the ranks; the longest response times are the machine's",
            .test = "unit.audit: a late transfer; the twin with full slots",
            .page = "depth",
        },
    [WEIR_FINDING_LATENCY_BOUND] =
        {
            .name = "latency-bound",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "not every message told when it was done: latencies are upper bounds",
            .detection = "--signal-every above 1 in a run that takes latencies",
            .threshold = "one message that is not signalled",
            .remedy = "--signal-every 1",
            .test = "unit.net_result",
            .page = "net",
        },
    [WEIR_FINDING_LAUNCHER_MISMATCH] =
        {
            .name = "launcher-mismatch",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "the launcher started more tasks than MPI knows. Each task is a run of "
                       "its own, on the same files",
            .detection = "variables of launchers and batch systems are compared with the size of "
                         "MPI_COMM_WORLD",
            .threshold = "one task more than MPI knows",
            .remedy = "use a launcher that fits the MPI library: its own mpiexec, or srun "
                      "--mpi=TYPE. In a container, use an MPI that fits the launcher outside",
            .test = "mpi.launchers starts tasks without their launcher. The right launcher "
                    "is the clean twin",
            .page = "slurm",
        },
    [WEIR_FINDING_LOOPBACK] =
        {
            .name = "loopback",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "all ranks are on one host: no network had a part in it",
            .detection = "hosts of the two ends of each flow",
            .threshold = "all flows",
            .remedy = "ranks on several hosts",
            .test = "unit.net_result, mpi.net",
            .page = "net",
        },
    [WEIR_FINDING_LOWER_CACHE] =
        {
            .name = "lower-cache",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning =
                "the page cache of this node has the file below a loop device: direct I/O to the "
                "file system, and dropped caches of its files, still end in memory",
            .detection = "/sys/block/loopN/loop/dio is 0, and the disks below supplied, or got, "
                         "less than was moved past the page cache above",
            .threshold = "5 %, as disks count what others move too, so that less is proof; qualify "
                         "where no disk below is counted; inform, once in a run, where a cached "
                         "read is reported and the advice would lead here; from 1 MiB on",
            .remedy = "losetup --direct-io=on, or a file system on the device itself",
            .test = "mpi.lower_caches: reads by ior, dd and iozone from a loop device with and "
                    "without direct I/O to its file",
            .page = "page-cache",
        },
    [WEIR_FINDING_MAYBE_CACHED] =
        {
            .name = "maybe-cached",
            .former = {"cache"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning =
                "ranks read what their own node wrote, and the kernel does not report what is "
                "in the page cache",
            .detection = "the plan: which rank wrote the data, on which node",
            .threshold = "one rank",
            .remedy = "-C on several nodes, or --direct",
            .test = "unit.audit: reads back on one node; the twin shifts ranks by a node",
            .page = "page-cache",
        },
    [WEIR_FINDING_MIGRATED] =
        {
            .name = "migrated",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a rank was moved to other processors during the test: by taskset, a cpuset "
                       "that changed, a daemon",
            .detection = "affinity after a phase, and migrations of ranks bound to one CPU "
                         "(/proc/self/sched)",
            .threshold = "any change",
            .remedy = "find who does it, and repeat the run",
            .test = "taskset in mid phase (tests/mpi/disturbed.sh); silent without",
            .page = "placement",
        },
    [WEIR_FINDING_MORE_OUTLIERS] =
        {
            .name = "more-outliers",
            .former = {"outliers"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "more ranks are",
            .detection = "outliers after the first four",
            .threshold = "that of -j",
            .remedy = "--result keeps up to 64",
            .test = "tests/mpi/outliers.sh",
            .page = "result-file",
        },
    [WEIR_FINDING_MTU] =
        {
            .name = "mtu",
            .severity = WEIR_WARNING,
            .effect = WEIR_INFORM,
            .meaning = "ports have different MTUs",
            .detection = "MTU of the ports of all ranks",
            .threshold = "any difference",
            .remedy = "one MTU for all ports and switches",
            .test = "unit.net_result",
            .page = "net",
        },
    [WEIR_FINDING_NAMES_CACHED] =
        {
            .name = "names-cached",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a cache answered operations on names: stat, open, read and list of items, "
                       "and any change of items that an earlier run made",
            .detection = "bytes that devices, networks or the loopback device moved during "
                         "the phase, without those of the data, for each operation; where no "
                         "counter is known the plan tells that nodes asked for what they had made "
                         "themselves, or that trials of depths asked for the same names: then a "
                         "cache may have answered, and the effect is qualify",
            .threshold = "24 bytes for each operation: names from ext4, xfs and btrfs cost 34 to "
                         "298 bytes, those from a cache none; that storage answered counts from "
                         "1000 operations on",
            .remedy = "--drop-caches node, or the -N or the number of nodes that the sentence says",
            .test = "mpi.names_cold: mdtest, md-workbench and parabench on ext4 and xfs, warm, and "
                    "cold as the twin; unit.audit_names",
            .page = "mdtest",
        },
    [WEIR_FINDING_NAMES_DELAYED] =
        {
            .name = "names-delayed",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a file system that this node alone has changes names in memory and writes "
                       "them later: the time has no such writes",
            .detection = "the type of the file system and the options of the phase",
            .threshold = "any change of items without a sync",
            .remedy = "-Y",
            .test = "unit.audit_names: ext4, and FUSE, OCFS2 and tmpfs as twins",
            .page = "mdtest",
        },
    [WEIR_FINDING_NO_DEVICE_IO] =
        {
            .name = "no-device-io",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "no device supplied a part of the bytes that were read: they are holes, "
                       "unwritten, inline or compressed extents, or came from a cache",
            .detection =
                "the bytes read are compared with those that the kernel counts for the "
                "processes of the ranks (read_bytes of /proc/self/io) and with what was in the "
                "page cache before; FIEMAP names the extents",
            .threshold = "void from 10 %, qualify from 5 %: less changes a rate by less than "
                         "repetitions differ",
            .remedy = "write the files first; for compressed extents, --data full; for a cache, "
                      "--direct",
            .test = "mpi.supply: holes, fallocate, punched ranges and compressed btrfs on loop "
                    "devices; the twin is a written file, read cold",
            .page = "page-cache",
        },
    [WEIR_FINDING_NO_OVERLAP] =
        {
            .name = "no-overlap",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "at no time were all ranks transferring at once: the rate is not that of all "
                "of them together",
            .detection = "latest start of a rank against the earliest end of one",
            .threshold = "no common time",
            .remedy = "more data per rank, or -D",
            .test = "unit.audit",
        },
    [WEIR_FINDING_NO_PROGRESS] =
        {
            .name = "no-progress",
            .former = {"stalled"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "ranks did not move for as long as --watchdog says; the sentence names rank, "
                "host and operation, between phases as well (statfs of /mnt/x)",
            .detection = "the watchdog of each rank, which is reset by every operation",
            .threshold = "--watchdog, 60 s by default",
            .remedy =
                "look at that host and its mounts; --give-up 10m ends such runs. The phase of "
                "that time has no row and no record: what its ranks did is known to them alone, "
                "and "
                "they do not answer. Ranks watch each other within a node and across nodes, so a "
                "job "
                "whose only node is frozen as a whole says nothing",
            .test = "a stopped rank (tests/mpi/watchdog.sh); silent in long removals",
        },
    [WEIR_FINDING_NO_STORAGE] =
        {
            .name = "no-storage",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "the backend moves no data to a storage, or the run is a dry run",
            .detection = "abilities of the backend",
            .threshold = "any",
            .remedy = "a backend with a storage, or --measure memory",
            .test = "unit.audit: the backend null; the twin is posix",
        },
    [WEIR_FINDING_NOT_GRANTED] =
        {
            .name = "not-granted",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "the kernel did not give what was asked for, as huge pages; the run went on "
                       "without it",
            .detection = "what the session of a rank reports",
            .threshold = "one rank",
            .remedy = "the sentence names the limit",
            .test = "mpi.memory: huge pages that are not reserved",
            .page = "depth",
        },
    [WEIR_FINDING_ODD_PAIR] =
        {
            .name = "odd-pair",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a pair is far slower than the others",
            .detection = "the rate of a pair (or its latency) against the median of all pairs",
            .threshold = "4 median deviations, and 10 %",
            .remedy = "look at its hosts, cables and switch ports",
            .test = "unit.net_result: one of twelve pairs at a third of the rate, and alike ones",
            .page = "net",
        },
    [WEIR_FINDING_OLD_NAMES] =
        {
            .name = "old-names",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "items to be created existed already, so that creation only opened them; "
                       "or, as inform, files that are read are from an earlier day",
            .detection = "opens with O_EXCL that ended with EEXIST; the time of the last change of "
                         "the files",
            .threshold =
                "one item; a day, as caches of storage that others use have other data by then",
            .remedy =
                "remove the items first (-r); write the files in the same run if that was meant",
            .test = "mpi.same_things: mdtest -C twice, and a file of three days ago; new items and "
                    "files as twins",
            .page = "mdtest",
        },
    [WEIR_FINDING_ONE_LINK] =
        {
            .name = "one-link",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "several pairs of weir net share one port of a host, and it shows in their sum",
            .detection = "pairs of one measurement whose ranks have the same host and device",
            .threshold = "their sum is less than 90 % of what the pairs have one by one, or 80 % "
                         "of the rate of the link",
            .remedy = "one rank per port, or a --device for each",
            .test = "unit.net_result: two pairs between two hosts, and between four",
        },
    [WEIR_FINDING_OUTLIER] =
        {
            .name = "outlier",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "a rank's time is further from the mean than -j allows; the first four have a "
                "line each",
            .detection =
                "open, transfer and close times of each rank, and when it began and ended, with -j",
            .threshold = "that of -j",
            .remedy = "look at its host",
            .test = "a slow rank (tests/mpi/outliers.sh)",
        },
    [WEIR_FINDING_OVERLAP] =
        {
            .name = "overlap",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "the flows ran together for less than 90 % of the time: their sum is not what "
                "they have together",
            .detection = "the time in which all flows of a measurement ran, against its length",
            .threshold = "90 %",
            .remedy = "measure for longer, and by time",
            .test = "unit.net_result",
            .page = "net",
        },
    [WEIR_FINDING_OVERSUBSCRIBED] =
        {
            .name = "oversubscribed",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a node has more ranks than cores that they may use",
            .detection = "affinity masks of all ranks of a node, and their cores; weir net: ranks "
                         "and online CPUs",
            .threshold = "one rank more than cores",
            .remedy = "fewer ranks per node, or a larger allocation. Fine for a trial",
            .test = "4 ranks on 2 cores (tests/mpi/disturbed.sh), and 2 on 2",
            .page = "placement",
        },
    [WEIR_FINDING_PERIODIC_STALLS] =
        {
            .name = "periodic-stalls",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the rate broke down at regular intervals",
            .detection = "parts of the phase of at least 20 ms and of four transfers per rank and "
                         "slot, with less than a quarter of what a busy part moves",
            .threshold =
                "four stalls whose distances differ by less than 15 % (five: 25 %), and 5 % of the "
                "time: chance makes such distances in 3 of 100 phases that have so many stalls",
            .remedy = "look for flushes of the storage, journal commits, snapshots and timers",
            .test = "mpi.spread, unit.spread: a transfer in a hundred that takes 200 ms, and "
                    "stalls at random",
        },
    [WEIR_FINDING_PIN_FAR] =
        {
            .name = "pin-far",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "no core near the device was left for some ranks",
            .detection = "NUMA nodes of the device and of what the launcher left",
            .threshold = "one rank",
            .remedy = "fewer ranks per node, or ranks that start unbound",
            .test = "unit cases of bindings",
            .page = "placement",
        },
    [WEIR_FINDING_PIN_NARROWED] =
        {
            .name = "pin-narrowed",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning =
                "launcher or control group leaves a rank less than the policy of --pin wants",
            .detection = "affinity that the launcher left, against --pin",
            .threshold = "one rank",
            .remedy =
                "start ranks unbound (mpiexec --bind-to none, srun --cpu-bind=none), or ask for "
                "whole cores",
            .test = "unit cases of bindings",
            .page = "placement",
        },
    [WEIR_FINDING_QUEUE_LIMIT] =
        {
            .name = "queue-limit",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the queue of the device is shorter than what ranks and depth ask for: the "
                       "rest waits in the kernel",
            .detection =
                "nr_requests (and queue_depth of SCSI) of the first devices with queues of "
                "their own, against ranks of a node times depth, with direct I/O",
            .threshold = "more than the queue takes",
            .remedy = "a greater nr_requests, or a smaller --depth",
            .test = "mpi.supply: depth nr_requests + 2 on a loop device; the twin is depth 8",
            .page = "depth",
        },
    [WEIR_FINDING_RATE_NOT_SHOWN] =
        {
            .name = "rate-not-shown",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "all transfers were issued in time, but the phase is too short to tell whether "
                "the rate can be sustained",
            .detection =
                "the 90 % quantile of response times against the time in which all were due",
            .threshold = "10 ms and 5 %; not after a stall, nor of a phase that was cut",
            .remedy = "move more data, or lower --rate",
            .test = "mpi.open_loop",
            .page = "depth",
        },
    [WEIR_FINDING_RATE_NOT_SUSTAINED] =
        {
            .name = "rate-not-sustained",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the storage was slower than --rate: response times grew with the length of "
                       "the phase",
            .detection = "lag of the last transfer issued",
            .threshold =
                "10 ms and 5 % of the time in which all were due; not where a stall explains it",
            .remedy = "lower --rate, or more --depth or ranks",
            .test = "mpi.open_loop",
            .page = "depth",
        },
    [WEIR_FINDING_READ_AHEAD] =
        {
            .name = "read-ahead",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "read-ahead decided what the device read: small reads were served by large "
                       "requests, or it read more than was asked for",
            .detection = "bytes that devices supplied for the ranks, and bytes per request of the "
                         "device, through the page cache",
            .threshold =
                "requests of four times a read of up to 32 KiB; or twice the bytes asked for, "
                "and 4 MiB more",
            .remedy = "--direct, or a smaller read_ahead_kb",
            .test = "mpi.supply: 4 KiB in order, and at random places of a map; the twin reads 256 "
                    "KiB",
            .page = "depth",
        },
    [WEIR_FINDING_REMOTE_MEMORY] =
        {
            .name = "remote-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "buffers are far from their rank's processors, as --membind or numactl wants "
                "it",
            .detection = "move_pages(2) on the buffers, where --membind or numactl chose the nodes",
            .threshold = "any page",
            .remedy = "nothing, if the cost of that is what is measured",
            .test = "--membind with a far node (tests/mpi/numa.sh)",
            .page = "placement",
        },
    [WEIR_FINDING_REPEATED] =
        {
            .name = "repeated",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning =
                "the same places were moved again in a phase, through the page cache: a least "
                "time (minTimeDuration), random places that repeat (-z -z), or one place",
            .detection =
                "the plan: bytes moved against the places that they are at; of random places, "
                "their expected number",
            .threshold = "void from 10 %, qualify from 5 %",
            .remedy = "more data, or --direct",
            .test = "mpi.supply: -z -z; the twin is -z",
            .page = "page-cache",
        },
    [WEIR_FINDING_RESIDENT] =
        {
            .name = "resident",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a part of the data was in the page cache of the node before it was read",
            .detection =
                "cachestat or mincore before the phase; of files in trees and of labels of "
                "programs, bytes that no device supplied (/proc/self/io)",
            .threshold = "void from 10 %, qualify from 5 %",
            .remedy = "--drop-caches files, or --direct; in a program dread, or a second run after "
                      "an emptied page cache",
            .test = "mpi.residency: a read after a write; the twin drops the cache before",
            .page = "page-cache",
        },
    [WEIR_FINDING_RETRANSMITS] =
        {
            .name = "retransmits",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "TCP sent segments again (note), or an RDMA port packets (warning)",
            .detection = "TCP_INFO of each flow, counters of the port; not where all ranks are on "
                         "one host, whose loopback drops nothing",
            .threshold = "one",
            .remedy = "look at cables, and at flow control of the switches",
            .test = "unit.net_result: between hosts, and on one host",
            .page = "net",
        },
    [WEIR_FINDING_SAME_ADDRESS] =
        {
            .name = "same-address",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "several hosts of weir net have one address: they are one machine, or the "
                       "address is not that of the network between them",
            .detection = "addresses and host names of all ranks",
            .threshold = "two hosts with one address",
            .remedy = "--interface",
            .test = "unit.net_result",
            .page = "net",
        },
    [WEIR_FINDING_SAME_FILE] =
        {
            .name = "same-file",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "ranks that should have files of their own work in one file; as a note, "
                       "several directories of trees are one",
            .detection = "device and inode of the file of each rank, where the names differ; "
                         "between machines the inode alone, of file systems whose servers number "
                         "files (NFS, Lustre, GPFS, BeeGFS, CephFS, GlusterFS)",
            .threshold = "one pair of ranks",
            .remedy = "look for links and bind mounts among the paths",
            .test = "mpi.same_things: hard links, symbolic links and bind mounts, in ior, MPI-IO, "
                    "iozone, dd, parabench and mdtest; files of their own as twins",
            .page = "page-cache",
        },
    [WEIR_FINDING_SAME_HOST] =
        {
            .name = "same-host",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "some flows never left their host, others did",
            .detection = "hosts of the two ends of each flow",
            .threshold = "one flow, where others leave their host",
            .remedy = "place ranks so that pairs are on different hosts (--map-by slot or node)",
            .test = "unit.net_result",
            .page = "net",
        },
    [WEIR_FINDING_SAME_NODE] =
        {
            .name = "same-node",
            .former = {"near"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning =
                "ranks read what their own node wrote, although -C or -Z asks for other data",
            .detection = "the plan and the placement of ranks",
            .threshold = "one rank",
            .remedy = "another -Q, or the same number of ranks on each node",
            .test = "unit.audit: a full circle of nodes; the twin shifts by one",
            .page = "page-cache",
        },
    [WEIR_FINDING_SEARCH_DIFFERS] =
        {
            .name = "search-differs",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "the phase did less than the search for a depth at the same depth",
            .detection = "rates of the search and of the phase",
            .threshold = "half",
            .remedy = "move more data, or repeat (-i)",
            .test = "unit.audit: less than half; the twin half",
            .page = "depth",
        },
    [WEIR_FINDING_SEARCHED_BEFORE] =
        {
            .name = "searched-before",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning =
                "the search for a depth has read the same files before, through the page cache",
            .detection = "the plan; only where the kernel does not report residency",
            .threshold = "any",
            .remedy = "--direct",
            .test = "unit.audit: --depth auto with a buffered read; the twin knows the residency",
            .page = "page-cache",
        },
    [WEIR_FINDING_SHARED_CORE] =
        {
            .name = "shared-core",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks share a core while other cores of the node are free",
            .detection = "a matching of ranks and cores by affinity masks",
            .threshold = "one rank without a core of its own while the node has one",
            .remedy = "--pin core, or correct the list; with a launcher that binds, --bind-to none "
                      "and --pin core",
            .test = "two ranks pinned to one core (tests/mpi/disturbed.sh), and to two",
            .page = "placement",
        },
    [WEIR_FINDING_SHARED_MEMORY] =
        {
            .name = "shared-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "the provider is shared memory: no network was used",
            .detection = "the provider",
            .threshold = "any run over shm",
            .remedy = "another --provider",
            .test = "unit.net_result, mpi.net",
            .page = "net",
        },
    [WEIR_FINDING_SHARED_TARGET] =
        {
            .name = "shared-target",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning =
                "two storage targets, or the directories of mdtest and ior, are on one file system "
                "of their node, in one directory, or on file systems that have a disk in common",
            .detection = "mount points, devices and the chain of block devices behind them; device "
                         "and inode of the directories",
            .threshold = "one pair",
            .remedy = "name one directory of each disk",
            .test = "mpi.targets: two directories of a tmpfs, and two tmpfs as the twin",
            .page = "targets",
        },
    [WEIR_FINDING_SHORT] =
        {
            .name = "short",
            .former = {"brief"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the phase took less than 0.1 s: start-up and caches weigh heavily",
            .detection = "the time of the phase; of weir net that of a measurement",
            .threshold =
                "0.1 s, of weir net 0.05 s: below, start and end weigh as much as transfers",
            .remedy = "move more data; with direct I/O, -O minTimeDuration=SECONDS also helps",
            .test = "unit.audit, mpi.spread",
        },
    [WEIR_FINDING_SHORT_TRANSFERS] =
        {
            .name = "short-transfers",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "transfers came back short and were continued",
            .detection = "the results of read and write",
            .threshold = "one transfer",
            .remedy = "nothing, if they are few",
            .test = "unit.audit, fault.injected, fault.full",
        },
    [WEIR_FINDING_SIZES_DIFFER] =
        {
            .name = "sizes-differ",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "nodes see different sizes of the same file",
            .detection = "the size of the shared file as each rank sees it",
            .threshold = "any byte",
            .remedy = "is it the same file system on all nodes?",
            .test = "unit.audit",
        },
    [WEIR_FINDING_SKEWED_START] =
        {
            .name = "skewed-start",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks of a program began the same execution of a label that moves data at "
                       "different times: some worked alone, and rates of single ranks are not "
                       "those of all together",
            .detection =
                "starts of the executions of a label that a rank executes three times at most",
            .threshold = "a millisecond on average, and a quarter of the mean time of an execution",
            .remedy = "barrier; before the label",
            .test = "mpi.parabench_programs; clean twin with a barrier",
            .page = "result-file",
        },
    [WEIR_FINDING_SKIPPED] =
        {
            .name = "skipped",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the time limit was over before the phase began",
            .detection = "the time limit before each phase",
            .threshold = "one phase",
            .remedy = "a longer -T",
            .test = "unit.audit, mpi.endings",
        },
    [WEIR_FINDING_SLOW_TARGET] =
        {
            .name = "slow-target",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "a storage target that was measured alone is slower than the others, by more "
                "than is usual among them and a tenth of their median",
            .detection = "rates of targets that weir targets measured alone",
            .threshold =
                "3.5 times the scaled deviation from the median, and a tenth of it: see the page",
            .remedy = "look at its device, RAID and server; measure it again",
            .test = "mpi.targets, unit.peers",
            .page = "targets",
        },
    [WEIR_FINDING_SMALL_REQUESTS] =
        {
            .name = "small-requests",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the device got the transfers in small pieces",
            .detection =
                "bytes per request of the device that the file system is on "
                "(/sys/block/*/stat), with direct I/O; silent where other traffic is more than "
                "a quarter",
            .threshold =
                "half of a transfer, and of 512 KiB: common limits of a request are 512 and "
                "1280 KiB",
            .remedy = "a greater max_sectors_kb",
            .test = "mpi.supply: max_sectors_kb 64 and transfers of 1 MiB; the twin has transfers "
                    "of 64 KiB",
            .page = "depth",
        },
    [WEIR_FINDING_SOFTWARE_RDMA] =
        {
            .name = "software-rdma",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "soft-RoCE: says nothing about hardware",
            .detection = "the name of the device (rxe)",
            .threshold = "one rank",
            .test = "unit.net_result, mpi.rdma_vm",
            .page = "net",
        },
    [WEIR_FINDING_SPREAD] =
        {
            .name = "spread",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "repetitions of a phase, or executions of a label, have rates that differ "
                       "widely, so that their mean is a number of none of them",
            .detection = "(greatest - least) / mean of the rates of all complete repetitions; of "
                         "targets those of one target; of a program those of one label on one rank",
            .threshold = "30 %: repetitions on quiet file systems differ by 5 to 15 %",
            .remedy = "more repetitions, and a time at which others are quiet",
            .test = "mpi.spread, unit.spread: a repetition that is three times as slow, and alike "
                    "ones",
        },
    [WEIR_FINDING_STALL] =
        {
            .name = "stall",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "no transfer ended for so long that the rate is not that of the storage at "
                       "work: a rank, its node, the network or the storage stood still",
            .detection = "the longest time without an end of a transfer, of all ranks and of each; "
                         "the longest transfer",
            .threshold = "1 s, or 0.25 s and a fifth of the phase; and 20 times what nearly all "
                         "transfers take, or 100 times the median and 8 times what nearly all "
                         "take. Planned pauses are taken off",
            .remedy = "repeat the run, and look for the cause if it comes back",
            .test = "mpi.disturbed, mpi.spread, unit.audit, unit.spread: a rank that is stopped, a "
                    "transfer of 1.5 s, and pauses of the plan",
            .page = "depth",
        },
    [WEIR_FINDING_STEAL] =
        {
            .name = "steal",
            .former = {"stolen"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the hypervisor gave the ranks' processors to other guests",
            .detection = "steal of /proc/stat on the CPUs of each rank",
            .threshold = "2 % and 30 ms: below, it is lost in noise and ticks of 10 ms",
            .remedy = "a host with less load; do not compare with other runs",
            .test = "recorded /proc/stat (unit cases)",
            .page = "placement",
        },
    [WEIR_FINDING_STONEWALL] =
        {
            .name = "stonewall",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks had done unequal work when the deadline stopped them; the rate "
                       "counts what each did",
            .detection = "transfers of each rank until the deadline",
            .threshold = "20 % between the ranks that did the least and the most: ranks that share "
                         "a storage differ by 5 to 15 %",
            .remedy = "-O stoneWallingWearOut=1 makes it equal",
            .test = "unit.audit, mpi.stonewall",
        },
    [WEIR_FINDING_STORAGE_DIFFERS] =
        {
            .name = "storage-differs",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "nodes see different files, or different kinds of file systems, behind the same "
                "path; as a note, each node has a local file system of its own, which may be meant",
            .detection = "device and inode of what the first rank of each node works in; type and "
                         "source of the mounts",
            .threshold = "one pair of nodes; unknown where each client numbers files by itself",
            .remedy = "name a directory that all nodes share",
            .test = "mpi.storage_differs: tmpfs and ramfs of two virtual hosts; a directory that "
                    "both share as the twin",
            .page = "page-cache",
        },
    [WEIR_FINDING_SUBMIT_BLOCKS] =
        {
            .name = "submit-blocks",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "submitting a transfer took most of its time: the system call did the work "
                       "itself, as with buffered I/O and writes by which a file grows",
            .detection = "medians of the time of submission and of the whole transfer",
            .threshold = "half of the transfer",
            .remedy = "--direct, and existing files",
            .test = "unit.audit: 110 of 200 us; the twin 90",
            .page = "depth",
        },
    [WEIR_FINDING_SYNC_NO_EFFECT] =
        {
            .name = "sync-no-effect",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "data were still dirty after the sync that the plan asked for: the sync did "
                       "nothing",
            .detection = "dirty pages of the files after the last sync; where the kernel does not "
                         "count them, counters of devices",
            .threshold = "1 % dirty, as a sync leaves no page; by counters, less than half of the "
                         "data written",
            .remedy = "run without the library (LD_PRELOAD, eatmydata) or the mount option that "
                      "swallows syncs",
            .test = "mpi.dirty_pages: a library whose fsync does nothing; clean twin without it",
            .page = "page-cache",
        },
    [WEIR_FINDING_THROTTLED] =
        {
            .name = "throttled",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a control group had used up its quota of processor time, and ranks stood "
                       "still",
            .detection = "cpu.stat of the control group and its parents, around each phase",
            .threshold = "1 % of the phase: below is the tail of one period",
            .remedy = "raise cpu.max (a container's --cpus), or run fewer ranks",
            .test = "a quota of 20 % (tests/mpi/disturbed.sh); silent without",
            .page = "placement",
        },
    [WEIR_FINDING_TREND] =
        {
            .name = "trend",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the rate rose or fell during the phase: its mean depends on its length",
            .detection =
                "the last third of the time in which all ranks transferred against its first "
                "third, without syncs at the end; pauses that the plan asks for are left out",
            .threshold =
                "20 %, in phases of 3 s and longer, and Mann-Kendall p < 1 % over 30 parts",
            .remedy = "a longer phase, until the rate is steady",
            .test = "mpi.spread, unit.spread: transfers that take twice as long from the middle "
                    "on, and steady ones",
        },
    [WEIR_FINDING_TRUNK] =
        {
            .name = "trunk",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "all pairs together have less than 90 % of what they have one by one",
            .detection = "the sum of all pairs at once against the sum of what each has alone",
            .threshold = "90 %. Not where one-link says why",
            .remedy = "that is the result, unless pairs share a port or a host",
            .test = "unit.net_result",
            .page = "net",
        },
    [WEIR_FINDING_UNLOGGED] =
        {
            .name = "unlogged",
            .severity = WEIR_WARNING,
            .effect = WEIR_INFORM,
            .meaning = "savePerOpDataCSV had no room for all transfers",
            .detection = "transfers that found the log of times full",
            .threshold = "one",
            .remedy = "--result counts them all",
            .test = "unit.audit, mpi.op_log",
        },
    [WEIR_FINDING_UNSYNCED] =
        {
            .name = "unsynced",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "part of what was written had not left memory when the timed part of the "
                       "phase ended",
            .detection = "dirty pages of the files that ranks wrote, from cachestat (Linux 6.5 and "
                         "later) right after the phase: of a mixed phase the pages of its writes, "
                         "of trees a sample of items, of programs each label; on older kernels "
                         "counters of devices and networks, and the time of an untimed sync",
            .threshold = "5 %, below which repetitions differ by more; of a label that wrote 1 MiB "
                         "or more (16 MiB by counters)",
            .remedy =
                "a sync in the time (-e, -y, conv=fsync, fsync in the timed block), or direct I/O",
            .test = "mpi.dirty_pages: buffered writes in every dialect on a loop device, beside a "
                    "foreign writer; clean twins with a sync and with direct I/O",
            .page = "page-cache",
        },
    [WEIR_FINDING_VOLATILE_CACHE] =
        {
            .name = "volatile-cache",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "a sync ends in memory: the device below keeps nothing without power",
            .detection = "names of the devices (ram, zram, nullb), and the file system of the file "
                         "behind a loop device; the cache of a virtual disk (cache=unsafe) is not "
                         "visible to the guest",
            .threshold = "only of phases whose plan syncs",
            .remedy = "a device that keeps its data",
            .test = "mpi.dirty_pages: a loop device over a file in tmpfs; clean twin on a file of "
                    "a disk",
            .page = "page-cache",
        },
    [WEIR_FINDING_VOLATILE_MOUNT] =
        {
            .name = "volatile-mount",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "a mount option makes syncs return before data are stable",
            .detection = "mount options of the target: volatile and fsync=volatile of overlays, "
                         "nobarrier, barrier=0, fsync_mode=nobarrier; what a server exports "
                         "(async) and sync=disabled of ZFS are not visible to the client",
            .threshold = "only of phases whose plan syncs",
            .remedy = "mount without the option",
            .test = "mpi.dirty_pages: an overlay with volatile, ext4 with nobarrier; clean twins "
                    "without",
            .page = "page-cache",
        },
    [WEIR_FINDING_WARM_UP] =
        {
            .name = "warm-up",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the first repetition of three or more differs from all others",
            .detection =
                "its rate and those of the others; explained by cpu-pressure in any of them",
            .threshold = "20 % from the mean of the others, and further from each of them than "
                         "they are apart",
            .remedy = "leave the first repetition out, or warm up what it warms up before the run",
            .test = "mpi.spread, unit.spread: a first repetition that is three times as slow, and "
                    "alike ones",
        },
    [WEIR_FINDING_WOULD_BLOCK] =
        {
            .name = "would-block",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning =
                "transfers that would have blocked, under --uring.nowait or --libaio.nowait, "
                "were submitted again; their time has both",
            .detection = "EAGAIN of the kernel",
            .threshold = "one",
            .remedy = "leave nowait out",
            .test = "mpi.depth: nowait on a cold file",
            .page = "depth",
        },
    [WEIR_FINDING_WRONG_DATA] =
        {
            .name = "wrong-data",
            .former = {"data"},
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "transfers held wrong data; the report names file, offset and kind of the "
                       "first ones",
            .detection = "every byte that is checked",
            .threshold = "one byte",
            .remedy = "keep the files (-K) and look",
            .test = "unit.audit, mpi.corruption",
            .page = "result-file",
        },
    [WEIR_FINDING_WRONG_NODE] =
        {
            .name = "wrong-node",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "pages of a rank's buffers are on other NUMA nodes than wanted: there was no "
                "room, or they or the rank were moved",
            .detection = "move_pages(2) on the buffers",
            .threshold = "1 % of the pages: fewer change no rate",
            .remedy = "numactl -H shows free memory; --membind local insists",
            .test = "a machine with two NUMA nodes (tests/mpi/numa.sh), unit cases",
            .page = "placement",
        },
};

enum weir_finding_kind weir_finding_lookup(const char *name)
{
    for (unsigned kind = 0; kind < WEIR_FINDING_COUNT; kind++) {
        const struct weir_finding_row *row = &weir_finding_rows[kind];

        if (strcmp(row->name, name) == 0)
            return kind;
        for (size_t i = 0; i < WEIR_FINDING_FORMER_MAX && row->former[i] != NULL; i++)
            if (strcmp(row->former[i], name) == 0)
                return kind;
    }
    return WEIR_FINDING_COUNT;
}

unsigned weir_finding_weigh(const struct weir_finding *finding)
{
    /* They make the verdict PARTIAL: what they say of the figure weighs more than a qualification.
     */
    static const char *const partial[] = {"failed", "flow-errors", "interrupted", "partial",
                                          "skipped"};
    unsigned class = finding->effect == WEIR_VOID ? 1 : finding->effect == WEIR_QUALIFY ? 3 : 4;

    if (strcmp(finding->name, "wrong-data") == 0)
        class = 0;
    for (size_t i = 0; i < sizeof partial / sizeof *partial && class == 3; i++)
        if (strcmp(finding->name, partial[i]) == 0)
            class = 2;
    return 2 * class + (finding->severity == WEIR_NOTE);
}

/* Lists grow at 4, 8, 16, ... findings. */
static bool is_full(unsigned count)
{
    return count == 0 || (count >= 4 && (count & (count - 1)) == 0);
}

void weir_finding_add(struct weir_arena *arena, struct weir_finding **findings, unsigned *count,
                      enum weir_finding_kind kind, enum weir_severity severity,
                      enum weir_effect effect, const char *format, va_list arguments)
{
    char text[WEIR_FINDING_TEXT_BYTES];

    assert(kind < WEIR_FINDING_COUNT);
    vsnprintf(text, sizeof text, format, arguments);
    if (is_full(*count)) {
        unsigned capacity = *count == 0 ? 4 : 2 * *count;
        struct weir_finding *list = weir_arena_take(arena, capacity * sizeof *list);

        if (*count > 0)
            memcpy(list, *findings, *count * sizeof *list);
        *findings = list;
    }
    (*findings)[(*count)++] = (struct weir_finding){
        .severity = severity,
        .effect = effect,
        .name = weir_finding_rows[kind].name,
        .text = weir_arena_copy(arena, text),
    };
}

/* Is the kind one of the names in a list with commas? */
static bool is_listed(const char *list, enum weir_finding_kind kind)
{
    while (list != NULL && *list != '\0') {
        char name[64];
        size_t length = strcspn(list, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (weir_finding_lookup(name) == kind)
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

enum weir_measure weir_findings_allow(struct weir_finding *findings, unsigned count,
                                      const char *allowed, enum weir_measure measure)
{
    enum weir_measure removed = WEIR_MEASURE_STORAGE;

    for (unsigned i = 0; i < count; i++) {
        enum weir_finding_kind kind = weir_finding_lookup(findings[i].name);
        bool is_measured = kind < WEIR_FINDING_COUNT && measure != WEIR_MEASURE_STORAGE &&
                           weir_finding_rows[kind].measures == measure;

        if (findings[i].effect == WEIR_INFORM || (!is_measured && !is_listed(allowed, kind)))
            continue;
        findings[i].effect = WEIR_INFORM;
        findings[i].is_allowed = true;
        if (is_measured)
            removed = measure;
    }
    return removed;
}

enum weir_believed weir_believe(const struct weir_verdict_facts *facts)
{
    enum weir_effect worst = WEIR_INFORM;

    for (unsigned i = 0; i < facts->finding_count; i++)
        if (facts->findings[i].effect > worst)
            worst = facts->findings[i].effect;
    if (facts->has_wrong_data)
        return WEIR_BELIEVED_WRONG_DATA;
    if (worst == WEIR_VOID)
        return WEIR_BELIEVED_DO_NOT_USE;
    if (facts->is_partial)
        return WEIR_BELIEVED_PARTIAL;
    if (facts->lacks_evidence && !facts->is_as_asked)
        return WEIR_BELIEVED_UNVERIFIED;
    return worst == WEIR_QUALIFY || facts->is_as_asked ? WEIR_BELIEVED_CAUTION : WEIR_BELIEVED_OK;
}
