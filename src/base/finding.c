/* SPDX-License-Identifier: Apache-2.0 */
/* The table of findings. */
#include "weir/base/finding.h"

const struct weir_finding_row weir_finding_rows[WEIR_FINDING_COUNT] = {
    [WEIR_FINDING_ABOVE_MEMORY] =
        {
            .name = "above-memory",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "a flow of weir net was faster than a copy from memory to memory",
            .detection =
                "the fastest flow and the best part of one, against the memory copy of the same "
                "report. Not over verbs, nor over MPI between hosts, where adapters move the data",
            .threshold = "50 % above the memory copy on one core. The best interval of a flow is "
                         "compared with one measurement of that copy: from memory the quotient "
                         "was 1.28 at most in 40 runs",
            .remedy = "a --working-set larger than the CPU's cache",
            .test = "unit.net_result: 120 MB/s against a copy of 79 MB/s; silent at 80",
            .page = "net",
        },
    [WEIR_FINDING_ABSENT] =
        {
            .name = "absent",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "names to be removed did not exist, and this run had not created them. The "
                       "rate counts the removals that succeeded",
            .detection = "removals that failed with ENOENT",
            .threshold = "one",
            .remedy = "create the names first, with the same -n, -z and -b",
            .test = "unit.audit_names: three names that do not exist; silent if all do",
            .page = "mdtest",
        },
    [WEIR_FINDING_BUFFERED_DIRECT] =
        {
            .name = "buffered-direct",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "direct I/O was requested, and the file system buffered it",
            .detection = "after a phase of direct I/O the page cache holds pages of the file that "
                         "it did not hold before (cachestat, mincore)",
            .threshold = "10 % of the bytes moved, and 256 KiB. Opening a file may read that much",
            .remedy =
                "a file system without a data journal, checksums or compression for these files",
            .test = "mpi.supply: ext4 with data=journal; silent on plain ext4 and xfs",
            .page = "page-cache",
        },
    [WEIR_FINDING_CHECKED_BEFORE] =
        {
            .name = "checked-before",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "-W has read the same data before, through the page cache",
            .detection = "the plan, where the kernel does not report residency",
            .threshold = "any such read",
            .remedy = "verify with -R instead, or use --direct",
            .test = "unit.audit: -W before a random shift; silent if the shift is by nodes",
            .page = "page-cache",
        },
    [WEIR_FINDING_CLIENT_CACHE] =
        {
            .name = "client-cache",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a cache of the file system's client supplied the bytes or kept synced "
                       "writes (ceph-fuse, the page pool of GPFS). Or the server runs on this node",
            .detection = "bytes that were not in the page cache, against the client's statistics "
                         "of the mount (NFS, Lustre, CephFS). Without them, bytes of network and "
                         "RDMA ports; for GPFS and unknown FUSE types also those of all disks",
            .threshold =
                "half of the bytes, from 1 MiB on, as transports compress and ranks of a node may "
                "read the same data. With counters of the mount and direct transfers, 5 %",
            .remedy = "read on another node, remount before the read, or move more data than the "
                      "cache holds. --drop-caches does not empty this cache",
            .test = "mpi.lower_caches: a FUSE daemon that answers from its memory; silent with one "
                    "that passes each transfer to the disk",
            .page = "page-cache",
        },
    [WEIR_FINDING_CLOCK_DRIFT] =
        {
            .name = "clock-drift",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the clock of a node runs faster or slower than those of other nodes, or "
                       "than that of its own kernel",
            .detection = "offsets between nodes before and after a phase, and CLOCK_MONOTONIC_RAW "
                         "by a system call on each node. Of 3 nodes or more, the one that differs "
                         "from all others is named",
            .threshold = "500 ppm beyond the error of the comparison. Oscillators are within 100 "
                         "ppm, and time services correct up to 500",
            .remedy = "check the clock source of that node and LD_PRELOAD. Rates of such runs are "
                      "wrong by the drift",
            .test = "mpi.pressure, unit.audit: clock_gettime made 1 % fast by LD_PRELOAD; silent "
                    "without it",
        },
    [WEIR_FINDING_CLOCK_ERROR] =
        {
            .name = "clock-error",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the clocks of the nodes agree only to 1 % of the measured time or worse",
            .detection = "round trips between nodes before and after a phase. Half of the shortest "
                         "is the error",
            .threshold = "1 % of the transfer window. Repetitions differ by as much",
            .remedy = "a longer phase",
            .test = "unit.audit: an error above the threshold; silent below",
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
            .threshold = "bytes exactly, times and rates 10 %",
            .remedy = "report it as a defect of Weir",
            .test = "unit.net_result: each of the three; silent where the figures agree",
        },
    [WEIR_FINDING_CPU_BOUND] =
        {
            .name = "cpu-bound",
            .former = {"processor-bound"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the CPUs of the ranks were busy all the time. The figure is what they can "
                       "drive, not what the storage can do",
            .detection = "CPU time of the ranks against their transfer time, from depth 2 on. Not "
                         "where ranks poll",
            .threshold = "95 % of the transfer time",
            .remedy = "more ranks, larger transfers, or a greater --batch",
            .test = "unit.audit: 3.7 of 3.8 s; silent at 3.5 s",
            .page = "depth",
        },
    [WEIR_FINDING_CPU_CACHE] =
        {
            .name = "cpu-cache",
            .former = {"cached"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "the working set of each flow fits into the CPU's cache, and flows come "
                       "close to the rate of memory",
            .detection = "the working set against the largest cache, and the fastest flow against "
                         "the memory copy of the report",
            .threshold = "50 % of the memory copy. Below it, memory is not the limit",
            .remedy = "a larger --working-set",
            .test = "unit.net_result: a flow at 80 % of the memory copy; silent at 30 %",
            .page = "net",
        },
    [WEIR_FINDING_CPU_PRESSURE] =
        {
            .name = "cpu-pressure",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "a rank was runnable and waited for a CPU that processes outside of the job used",
            .detection =
                "run delay of /proc/thread-self/schedstat during the phase, and load average. The "
                "CPU "
                "times of all processes are read after phases of a second, and after phases of 20 "
                "ms that had waits. Waits that other ranks (oversubscribed, shared-core) or a "
                "quota "
                "(throttled) cause are subtracted",
            .threshold = "10 % of a rank's time, and 20 ms. Ranks alone on their cores wait for 1 "
                         "to 5 %, next to one busy process per core for 33 % or more. Where ranks "
                         "share cores, 15 % more than that explains. If other processes used less "
                         "than that time, kernel threads or ranks had the CPU: a note, "
                         "from 25 % on",
            .remedy = "end the other processes, or use an idle node (srun --exclusive); of the "
                      "note: leave a CPU for the kernel, with fewer ranks per node",
            .test = "mpi.pressure: busy loops on the CPUs of the ranks; silent with ranks of high "
                    "priority",
        },
    [WEIR_FINDING_DATA_IN_FLIGHT] =
        {
            .name = "data-in-flight",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks filled or verified buffers for a part of the time while transfers "
                       "were in flight, or due by --rate. What that cost is unknown",
            .detection = "time spent on filling and verifying, against the time of transfers",
            .threshold = "10 % of the time",
            .remedy = "more ranks, or cheaper data (--data stamp)",
            .test = "unit.audit: 20 %; silent at 10 %",
            .page = "depth",
        },
    [WEIR_FINDING_DATA_SHARE] =
        {
            .name = "data-share",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks filled or verified buffers for a part of the time while nothing was "
                       "in flight. The rate is lower by that part",
            .detection =
                "time spent on filling and verifying, against the time of transfers, per rank",
            .threshold = "10 % of the time. Less changes the rate by less than repetitions differ",
            .remedy = "more ranks, cheaper data (--data stamp), or a greater depth",
            .test = "unit.audit: a share above the threshold; silent below",
            .page = "depth",
        },
    [WEIR_FINDING_DEGRADED] =
        {
            .name = "degraded",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the storage lacks a disk, a path or a server, or lost one during the test",
            .detection = "the states of md, multipath, btrfs and ZFS devices, Lustre OSTs, Ceph "
                         "OSDs (as root) and GlusterFS bricks. They are read before each test and "
                         "after phases of a second",
            .threshold = "one part",
            .remedy = "repair the storage, and repeat the run",
            .test = "mpi.spread, unit.storage, unit.spread: btrfs without one of two devices, and "
                    "recorded trees; silent with all parts",
        },
    [WEIR_FINDING_DEPTH_EDGE] =
        {
            .name = "depth-edge",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "the best depth of --depth auto was the greatest that was tried",
            .detection = "the rates of the depth search",
            .threshold = "the last depth of the search",
            .remedy = "--depth auto:N with a greater N",
            .test = "unit.audit: the best depth at the end; silent if it is below",
            .page = "depth",
        },
    [WEIR_FINDING_DEPTH_NOT_REACHED] =
        {
            .name = "depth-not-reached",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "fewer transfers were in flight than --depth allows",
            .detection = "mean number in flight, which is transfers per second times their mean "
                         "time (Little's law)",
            .threshold = "half of the depth. Filling buffers, and the first and last transfers, "
                         "cost a part of every run",
            .remedy = "more data per rank, or more ranks",
            .test = "mpi.supply: four transfers at depth 16; silent with 256 at depth 4",
            .page = "depth",
        },
    [WEIR_FINDING_DEPTHS_DIFFER] =
        {
            .name = "depths-differ",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "ranks had different numbers of metadata operations in flight. Kernels of "
                       "some nodes queue fewer kinds, or items of a rank belong to others",
            .detection = "the least and the greatest depth of all ranks",
            .threshold = "any difference",
            .remedy = "--depth 1, which all nodes can do",
            .test = "mpi.depth: a rank whose io_uring lacks calls (LD_PRELOAD); silent without the "
                    "library",
            .page = "mdtest",
        },
    [WEIR_FINDING_FAILED] =
        {
            .name = "failed",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "operations failed. The figures count those that succeeded",
            .detection = "the results of all operations",
            .threshold = "one operation",
            .remedy = "correct the error that the message names (rank, file and cause)",
            .test = "unit.audit, unit.report: an error of a write; silent without one",
        },
    [WEIR_FINDING_FAST_TARGET] =
        {
            .name = "fast-target",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "a storage target is faster than the others when measured alone",
            .detection = "rates of targets that weir targets measured alone",
            .threshold = "that of slow-target",
            .remedy = "check whether its data came from a cache, or whether the others are slow",
            .test = "unit.peers: one fast target; silent among alike ones",
            .page = "targets",
        },
    [WEIR_FINDING_FILE_SIZE] =
        {
            .name = "file-size",
            .former = {"size"},
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "the files are smaller or larger than what was written. If they are "
                       "smaller, the exit code is 1",
            .detection = "sizes of the files after a complete write",
            .threshold = "any byte",
            .remedy = "check the file system, as the data are incomplete",
            .test = "unit.audit: a file of half the size; silent after a deadline",
        },
    [WEIR_FINDING_FITS_IN_MEMORY] =
        {
            .name = "fits-in-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "what a node reads fits into its memory, and the kernel does not report "
                       "what is in the page cache",
            .detection =
                "bytes that a node reads, against its memory or the limit of its control groups",
            .threshold = "the size of the memory",
            .remedy = "--direct, or --drop-caches",
            .test = "unit.audit: 2 MiB against 4 GiB; silent with as much data as memory",
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
            .detection = "bytes of the read, the type of the file system, and the time when the "
                         "files were last changed",
            .threshold = "16 GiB, as few storage servers have less memory and each further server "
                         "adds its own. Silent for files older than a day",
            .remedy = "move more data, or read files of an earlier day",
            .test = "unit.audit_names: NFS; silent with more data",
            .page = "page-cache",
        },
    [WEIR_FINDING_FLOW_ERRORS] =
        {
            .name = "flow-errors",
            .former = {"failed-flow"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "flows failed. Sums leave them out",
            .detection = "the result of each flow",
            .threshold = "one flow",
            .remedy = "correct the error of the first flow, which the message names",
            .test = "unit.net_result: a flow that failed; silent without one",
            .page = "net",
        },
    [WEIR_FINDING_FLOWS_LEFT_OUT] =
        {
            .name = "flows-left-out",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "there are more than 65,536 flows. Each measurement keeps totals and its "
                       "worst flows, but no matrix",
            .detection = "the number of flows of a measurement",
            .threshold = "65,536 flows",
            .remedy = "none is needed. Fewer ranks, sizes or repetitions keep all flows",
            .test = "unit.net_result: more flows than are kept",
            .page = "net",
        },
    [WEIR_FINDING_FOREIGN_IO] =
        {
            .name = "foreign-io",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "other processes used the devices or network ports of this storage during "
                       "the phase",
            .detection =
                "bytes of the devices or ports beyond those that this job moved. RAID copies, "
                "journals, metadata, partial blocks and writes of earlier phases are subtracted",
            .threshold = "32 MiB (ports 64 MiB), and 30 % of what the job moved. Not for reads "
                         "through the page cache, which read ahead",
            .remedy = "measure while the devices are idle",
            .test = "trust.situations.12, unit.spread: another writer on the file system; silent "
                    "without it",
        },
    [WEIR_FINDING_IMBALANCE] =
        {
            .name = "imbalance",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "other ranks waited for the slowest one, which the sentence names with its "
                       "likely cause",
            .detection = "transfer times of the ranks. The cause follows from the rank's waits for "
                         "CPUs, quota, steal time, stops and bytes",
            .threshold = "20 % of the others' time lost (2 ranks 30 %), in phases of 0.1 s or "
                         "more. Quiet runs lose up to 10 %",
            .remedy = "remove the cause, or compare the node of the rank with others (--rank-csv, "
                      "weir targets)",
            .test = "mpi.pressure, unit.audit: a rank on a crowded core, and a slow rank of the "
                    "fault backend; silent below the threshold",
        },
    [WEIR_FINDING_IN_MEMORY] =
        {
            .name = "in-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "the files or names are on tmpfs or another file system in memory. No "
                       "storage took part, with direct I/O or without",
            .detection = "the type of the file system (tmpfs, ramfs, hugetlbfs)",
            .threshold = "any such file",
            .remedy = "a directory on the storage (-o, in weir mdtest -d), or --measure memory",
            .test = "mpi.residency: /dev/shm; silent on a disk",
            .page = "page-cache",
        },
    [WEIR_FINDING_INTERRUPTED] =
        {
            .name = "interrupted",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a signal or the end of the job ended the phase",
            .detection = "signals to any rank",
            .threshold = "one signal",
            .remedy = "repeat the run. The report covers the work until the signal",
            .test = "unit.audit, mpi.signals: SIGINT in a phase; silent without one",
            .page = "slurm",
        },
    [WEIR_FINDING_IO_LIMIT] =
        {
            .name = "io-limit",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "a control group limits reads or writes of the devices of the target. It is "
                       "a warning, and qualifies the figure, where the rate lies at the limit",
            .detection =
                "io.max of the group and its parents (version 2), or blkio.throttle of the group "
                "(version 1), before each test. The limit is compared with the bytes moved",
            .threshold = "a note for any limit. A warning from 90 to 150 % of it, as above that it "
                         "does not apply (buffered writes in version 1)",
            .remedy = "raise io.max (docker --device-write-bps, systemd IOWriteBandwidthMax), or "
                      "report the limit with the figure",
            .test = "mpi.pressure, unit.audit_places: a limit of 8 MiB/s on a loop device, and "
                    "recorded trees; silent without a limit",
        },
    [WEIR_FINDING_LATE_ISSUE] =
        {
            .name = "late-issue",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "a transfer was issued late although slots were free. Most likely the rank "
                       "did not run",
            .detection = "lag of transfers behind --rate, against the times of transfers",
            .threshold = "1 ms, 10 times the median, and twice the longest transfer",
            .remedy =
                "free CPUs for the ranks. The longest response times are those of the machine",
            .test = "unit.audit: a late transfer; silent if all slots were in use",
            .page = "depth",
        },
    [WEIR_FINDING_LATENCY_BOUND] =
        {
            .name = "latency-bound",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "not every message signalled its completion, so that latencies are upper bounds",
            .detection = "--signal-every above 1 in a run that measures latencies",
            .threshold = "one message without a signal",
            .remedy = "leave --signal-every out",
            .test = "unit.net_result: --signal-every 2; silent with 1",
            .page = "net",
        },
    [WEIR_FINDING_LAUNCHER_MISMATCH] =
        {
            .name = "launcher-mismatch",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "the launcher started more tasks than MPI counts. Each task is a run of its "
                       "own, on the same files",
            .detection =
                "variables of launchers and batch systems, against the size of MPI_COMM_WORLD",
            .threshold = "one task more than MPI counts",
            .remedy = "use the MPI library's own mpiexec, or srun --mpi=TYPE. In a container, "
                      "install an MPI that fits the launcher outside",
            .test =
                "mpi.launchers: tasks started without their launcher; silent with the right one",
            .page = "slurm",
        },
    [WEIR_FINDING_LOOPBACK] =
        {
            .name = "loopback",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "all ranks are on one host, and no network took part",
            .detection = "hosts of the two ends of each flow",
            .threshold = "all flows",
            .remedy = "ranks on several hosts",
            .test = "unit.net_result: all ranks on one host; silent with two hosts",
            .page = "net",
        },
    [WEIR_FINDING_LOWER_CACHE] =
        {
            .name = "lower-cache",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "the page cache of this node holds the file below a loop device. Direct I/O "
                       "and dropped caches of the file system above still end in memory",
            .detection = "/sys/block/loopN/loop/dio is 0, and the disks below moved fewer bytes "
                         "than the loop device was asked for. Bytes of other processes on these "
                         "disks count as this run's, and so hide the finding, but never cause it. "
                         "Without it the evidence cannot be observed",
            .threshold = "5 %, from 1 MiB on. It is qualify where no disk below is counted, and "
                         "inform where advice for a cached read would lead here",
            .remedy = "use losetup --direct-io=on, or a file system on the device itself",
            .test = "mpi.lower_caches: reads by ior, dd and iozone from a loop device; silent with "
                    "direct I/O to its file",
            .page = "page-cache",
        },
    [WEIR_FINDING_MAYBE_CACHED] =
        {
            .name = "maybe-cached",
            .former = {"cache"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "ranks read what their own node wrote, and the kernel does not report what "
                       "is in the page cache",
            .detection = "the plan, which tells the node that wrote the data",
            .threshold = "one rank",
            .remedy = "-C on several nodes, or --direct",
            .test = "unit.audit: a read on the node that wrote; silent if ranks shift by a node",
            .page = "page-cache",
        },
    [WEIR_FINDING_MIGRATED] =
        {
            .name = "migrated",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a rank was moved to other CPUs during the test, by taskset, a changed "
                       "cpuset or a daemon",
            .detection = "affinity after a phase, and migrations of ranks that are bound to one "
                         "CPU (/proc/self/sched)",
            .threshold = "any change",
            .remedy = "find out what moved the rank, and repeat the run",
            .test = "mpi.disturbed: taskset during a phase; silent without it",
            .page = "placement",
        },
    [WEIR_FINDING_MORE_OUTLIERS] =
        {
            .name = "more-outliers",
            .former = {"outliers"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "further times lie as far from the mean as those that outlier names",
            .detection = "outliers after the first four",
            .threshold = "that of -j",
            .remedy = "--result, which keeps up to 64",
            .test = "unit.audit: more than four outliers; silent with four",
            .page = "result-file",
        },
    [WEIR_FINDING_MTU] =
        {
            .name = "mtu",
            .severity = WEIR_WARNING,
            .effect = WEIR_INFORM,
            .meaning = "ports of the ranks have different MTUs",
            .detection = "MTU of the ports of all ranks",
            .threshold = "any difference",
            .remedy = "one MTU for all ports and switches",
            .test = "unit.net_result: two MTUs; silent with one",
            .page = "net",
        },
    [WEIR_FINDING_NAMES_CACHED] =
        {
            .name = "names-cached",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a cache answered metadata operations (stat, open, read, list, or changes "
                       "of items of an earlier run)",
            .detection = "bytes that devices or networks moved per operation, without those of the "
                         "data, and of devices at most those that ranks caused. Without counters, "
                         "the plan shows nodes or depth trials that use "
                         "names they have used before. Then the effect is qualify",
            .threshold =
                "24 bytes per operation. Names from ext4, xfs and btrfs cost 34 to 298 bytes, "
                "those from a cache none. Storage counts as seen from 1000 operations on",
            .remedy = "--drop-caches node, or the -N or number of nodes that the sentence names",
            .test = "mpi.names_cold, unit.audit_names: mdtest, md-workbench and parabench with a "
                    "warm cache on ext4 and xfs; silent with a cold one",
            .page = "mdtest",
        },
    [WEIR_FINDING_NAMES_DELAYED] =
        {
            .name = "names-delayed",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a local file system changes names in memory and writes them later. The "
                       "time does not include these writes",
            .detection = "the type of the file system and the options of the phase",
            .threshold = "any change of names without a sync",
            .remedy = "-Y",
            .test = "unit.audit_names: ext4; silent on FUSE, OCFS2 and tmpfs",
            .page = "mdtest",
        },
    [WEIR_FINDING_NO_DEVICE_IO] =
        {
            .name = "no-device-io",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "no device supplied a part of the bytes that were read. They are holes, "
                       "unwritten, inline or compressed extents, or came from a cache",
            .detection = "bytes read, against those that the kernel counts for the ranks "
                         "(read_bytes of /proc/self/io) and those in the page cache before. FIEMAP "
                         "tells the kind of extents",
            .threshold = "void from 10 %, qualify from 5 %. Less changes a rate by less than "
                         "repetitions differ",
            .remedy = "write the files first, or use --data full for compressed extents, --direct "
                      "for a cache",
            .test = "mpi.supply: holes, fallocate, punched ranges and compressed btrfs; silent for "
                    "a written file that is read cold",
            .page = "page-cache",
        },
    [WEIR_FINDING_NO_OVERLAP] =
        {
            .name = "no-overlap",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "at no time did all ranks transfer, so that the rate is not that of all of "
                       "them together",
            .detection = "the latest start of a rank against the earliest end of one",
            .threshold = "no common time",
            .remedy = "more data per rank, or -D",
            .test = "unit.audit: ranks one after another; silent if they overlap",
        },
    [WEIR_FINDING_NO_PROGRESS] =
        {
            .name = "no-progress",
            .former = {"stalled"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning =
                "ranks made no progress for as long as --watchdog says, in phases or between them. "
                "The sentence names rank, host and operation (statfs of /mnt/x)",
            .detection =
                "the watchdog of each rank, which every operation resets. Ranks watch each other "
                "within a node and across nodes. A job whose only node is frozen reports nothing",
            .threshold = "--watchdog, by default 60 s",
            .remedy = "check that host and its mounts. --give-up 10m ends such runs, and their "
                      "last phase has no record, as its ranks do not answer",
            .test = "mpi.watchdog: a stopped rank; silent in long removals",
        },
    [WEIR_FINDING_NO_STORAGE] =
        {
            .name = "no-storage",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "the backend moves no data to a storage, or the run is a dry run",
            .detection = "the features of the backend",
            .threshold = "any such phase",
            .remedy = "another backend (-a), or --measure memory",
            .test = "unit.audit: the null backend, and a dry run; silent on posix",
        },
    [WEIR_FINDING_NOT_GRANTED] =
        {
            .name = "not-granted",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "the kernel did not grant a request, for instance for huge pages, and the "
                       "run continued without it",
            .detection = "what the session of each rank reports",
            .threshold = "one rank",
            .remedy = "raise the limit that the sentence names",
            .test = "mpi.queue_limits, unit.audit, unit.net_result: limits of locked memory, and "
                    "huge pages; silent without limits",
            .page = "depth",
        },
    [WEIR_FINDING_ODD_PAIR] =
        {
            .name = "odd-pair",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a pair of ranks is far slower than the others",
            .detection = "the rate of a pair, or its latency, against the median of all pairs",
            .threshold = "4 scaled median deviations, and 10 %",
            .remedy = "check its hosts, cables and switch ports",
            .test = "unit.net_result: one of twelve pairs at a third of the rate; silent among "
                    "alike ones",
            .page = "net",
        },
    [WEIR_FINDING_OLD_NAMES] =
        {
            .name = "old-names",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "items to be created existed already, so that creation only opened them. As "
                       "inform: files that are read are from an earlier day",
            .detection = "opens with O_EXCL that failed with EEXIST, and the time when files were "
                         "last changed",
            .threshold =
                "one item. For files a day, as caches of shared storage hold other data by then",
            .remedy = "remove the items first (-r), or write the files in the same run",
            .test = "mpi.same_things: mdtest -C twice, and a file of three days ago; silent for "
                    "new items and files",
            .page = "mdtest",
        },
    [WEIR_FINDING_ONE_LINK] =
        {
            .name = "one-link",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "several pairs of weir net share one port of a host, and their sum shows it",
            .detection = "pairs of one measurement whose ranks have the same host and device",
            .threshold = "a sum below 90 % of what the pairs have one by one, or above 80 % of the "
                         "rate of the link",
            .remedy = "one rank per port, or --device for each",
            .test = "unit.net_result: two pairs between two hosts; silent between four",
        },
    [WEIR_FINDING_OUTLIER] =
        {
            .name = "outlier",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a rank's time is further from the mean than -j allows. The first four have "
                       "a line each",
            .detection =
                "open, transfer and close times of each rank, and its start and end, with -j",
            .threshold = "that of -j",
            .remedy = "check its node, or raise -j",
            .test = "unit.audit, mpi.outliers: a slow rank; silent with alike ones",
        },
    [WEIR_FINDING_OVERLAP] =
        {
            .name = "overlap",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the flows ran together for a part of the time only, so that their sum is "
                       "not what they have together",
            .detection = "the time in which all flows of a measurement ran, against its length",
            .threshold = "90 % of the time",
            .remedy = "a longer measurement, by --duration",
            .test = "unit.net_result: flows that overlap in part; silent from 90 % on",
            .page = "net",
        },
    [WEIR_FINDING_OVERSUBSCRIBED] =
        {
            .name = "oversubscribed",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a node has more ranks than cores that these may use",
            .detection = "affinity masks of all ranks of a node and their cores. In weir net, "
                         "ranks and online CPUs",
            .threshold = "one rank more than cores",
            .remedy = "fewer ranks per node, or more nodes",
            .test = "mpi.disturbed: 4 ranks on 2 cores; silent with 2",
            .page = "placement",
        },
    [WEIR_FINDING_PERIODIC_STALLS] =
        {
            .name = "periodic-stalls",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the rate dropped at regular intervals",
            .detection = "parts of the phase with less than a quarter of the rate of a busy part. "
                         "A part has 20 ms and four transfers per rank and slot, or more",
            .threshold =
                "four stalls whose distances differ by less than 15 % (five: 25 %), and 5 % of the "
                "time. Of phases with so many random stalls, 3 in 100 look like that",
            .remedy = "check flushes of the storage, journal commits, snapshots and timers",
            .test = "mpi.spread, unit.spread: one transfer in a hundred takes 200 ms; silent for "
                    "random stalls",
        },
    [WEIR_FINDING_PIN_FAR] =
        {
            .name = "pin-far",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "no core near the device was free for some ranks",
            .detection = "NUMA nodes of the device, and CPUs that the launcher allows",
            .threshold = "one rank",
            .remedy = "fewer ranks per node, or ranks that start unbound (mpiexec --bind-to none)",
            .test = "unit.audit_places: a rank far from its device; silent near it",
            .page = "placement",
        },
    [WEIR_FINDING_PIN_NARROWED] =
        {
            .name = "pin-narrowed",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning =
                "the launcher or a control group allows a rank fewer CPUs than --pin asks for",
            .detection = "affinity that the launcher set, against --pin",
            .threshold = "one rank",
            .remedy = "start ranks unbound (mpiexec --bind-to none, srun --cpu-bind=none), or "
                      "request whole cores",
            .test = "unit.audit_places: a rank with fewer CPUs; silent with all",
            .page = "placement",
        },
    [WEIR_FINDING_QUEUE_LIMIT] =
        {
            .name = "queue-limit",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the queue of the device is shorter than what ranks and depth ask for. The "
                       "rest waits in the kernel",
            .detection = "nr_requests (and queue_depth of SCSI) of the first devices with a queue, "
                         "against ranks of a node times depth, with direct I/O",
            .threshold = "one request more than the queue holds",
            .remedy = "a greater nr_requests, or a smaller --depth",
            .test = "mpi.supply: depth nr_requests + 2 on a loop device; silent at depth 8",
            .page = "depth",
        },
    [WEIR_FINDING_RATE_NOT_SHOWN] =
        {
            .name = "rate-not-shown",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "all transfers were issued in time, but the phase is too short to show that "
                       "the rate can be sustained",
            .detection = "the 90 % quantile of response times, against the time in which all "
                         "transfers were due",
            .threshold =
                "10 ms, and 5 % of that time. Not after a stall, nor in a phase that was cut",
            .remedy = "move more data, or lower --rate",
            .test = "unit.audit: late responses; silent if they are early",
            .page = "depth",
        },
    [WEIR_FINDING_RATE_NOT_SUSTAINED] =
        {
            .name = "rate-not-sustained",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the storage was slower than --rate, so that response times grew with the "
                       "length of the phase",
            .detection = "lag of the last transfer that was issued",
            .threshold =
                "10 ms, and 5 % of the time in which all were due. Not where a stall explains it",
            .remedy = "a lower --rate, a greater --depth, or more ranks",
            .test = "unit.audit, mpi.open_loop: a rate above what the storage does; silent below",
            .page = "depth",
        },
    [WEIR_FINDING_READ_AHEAD] =
        {
            .name = "read-ahead",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "read-ahead decided what the device read. It merged small reads into large "
                       "requests, or read more than was asked for",
            .detection = "bytes that devices supplied for the ranks, and bytes per request, in "
                         "reads through the page cache",
            .threshold = "requests of four times a read of up to 32 KiB. Or twice the bytes that "
                         "were asked for, and 4 MiB more",
            .remedy = "--direct, or a smaller read_ahead_kb",
            .test = "mpi.supply: sequential reads of 4 KiB, and random ones of a map; silent for "
                    "reads of 256 KiB",
            .page = "depth",
        },
    [WEIR_FINDING_REMOTE_MEMORY] =
        {
            .name = "remote-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "buffers are on another NUMA node than the CPUs of their rank, as --membind "
                       "or numactl asks for",
            .detection = "move_pages(2) on the buffers, where --membind or numactl set the nodes",
            .threshold = "any page",
            .remedy = "none, if that cost is what is measured. Otherwise leave --membind out",
            .test = "mpi.numa, unit.audit_places: --membind with a far node; silent with a near "
                    "one",
            .page = "placement",
        },
    [WEIR_FINDING_REPEATED] =
        {
            .name = "repeated",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a phase moved the same places again, through the page cache, for a least "
                       "time (minTimeDuration), by random repeats (-z -z) or at one place",
            .detection = "the plan gives bytes moved and the places they are at. For random places "
                         "that is their expected number",
            .threshold = "void from 10 %, qualify from 5 %",
            .remedy = "more data, or --direct",
            .test = "mpi.supply, unit.audit: -z -z; silent with -z",
            .page = "page-cache",
        },
    [WEIR_FINDING_RESIDENT] =
        {
            .name = "resident",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a part of the data was in the page cache of the node before the read",
            .detection =
                "residency before the phase (cachestat, mincore). For files in trees and labels of "
                "programs, bytes that no device supplied (/proc/self/io)",
            .threshold = "void from 10 %, qualify from 5 %. Less changes a rate by less than "
                         "repetitions differ",
            .remedy = "--drop-caches files, or --direct. In a program dread, or a second run after "
                      "dropping caches",
            .test = "mpi.residency: a read after a write; silent if the cache was dropped before",
            .page = "page-cache",
        },
    [WEIR_FINDING_RETRANSMITS] =
        {
            .name = "retransmits",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "TCP sent segments again (note), or an RDMA port sent packets again (warning)",
            .detection = "TCP_INFO of each flow, and counters of the port. Not where all ranks are "
                         "on one host, whose loopback drops nothing",
            .threshold = "one segment or packet",
            .remedy = "check cables, and flow control of the switches",
            .test = "unit.net_result: between hosts; silent on one host",
            .page = "net",
        },
    [WEIR_FINDING_SAME_ADDRESS] =
        {
            .name = "same-address",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "several hosts of weir net have one address. They are one machine, or the "
                       "address is not that of the network between them",
            .detection = "addresses and host names of all ranks",
            .threshold = "two hosts with one address",
            .remedy = "--interface, to name the network between the hosts",
            .test = "unit.net_result: two hosts with one address; silent with two",
            .page = "net",
        },
    [WEIR_FINDING_SAME_FILE] =
        {
            .name = "same-file",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "ranks that should have files of their own work in one file. As a note, "
                       "several directories of trees are one",
            .detection = "device and inode of the file of each rank, where names differ. Between "
                         "machines the inode, on file systems whose servers number files (NFS, "
                         "Lustre, GPFS, BeeGFS, CephFS, GlusterFS)",
            .threshold = "one pair of ranks",
            .remedy = "check the paths for links and bind mounts",
            .test = "mpi.same_things: links and bind mounts in ior, MPI-IO, iozone, dd, parabench "
                    "and mdtest; silent for files of their own",
            .page = "page-cache",
        },
    [WEIR_FINDING_SAME_HOST] =
        {
            .name = "same-host",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "some flows never left their host while others did",
            .detection = "hosts of the two ends of each flow",
            .threshold = "one flow, where others leave their host",
            .remedy = "place ranks so that pairs are on different hosts (mpiexec --map-by node)",
            .test = "unit.net_result: some pairs on one host; silent between hosts",
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
            .test = "unit.audit: a shift by all nodes; silent if ranks shift by one",
            .page = "page-cache",
        },
    [WEIR_FINDING_SEARCH_DIFFERS] =
        {
            .name = "search-differs",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "the phase had a far lower rate than the depth search at the same depth",
            .detection = "rates of the search and of the phase",
            .threshold = "half of the rate of the search",
            .remedy = "more data, or repetitions (-i)",
            .test = "unit.audit: less than half; silent at half",
            .page = "depth",
        },
    [WEIR_FINDING_SEARCHED_BEFORE] =
        {
            .name = "searched-before",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "the depth search has read the same files before, through the page cache",
            .detection = "the plan, where the kernel does not report residency",
            .threshold = "any such read",
            .remedy = "--direct",
            .test = "unit.audit: --depth auto with a buffered read; silent where residency is "
                    "known",
            .page = "page-cache",
        },
    [WEIR_FINDING_SHARED_CORE] =
        {
            .name = "shared-core",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks share a core while other cores of the node are idle",
            .detection = "a matching of ranks to cores by affinity masks",
            .threshold = "one rank without a core of its own while the node has one",
            .remedy = "--pin core, or a corrected list. With a launcher that binds, --bind-to none "
                      "and --pin core",
            .test = "mpi.disturbed: two ranks pinned to one core; silent on two",
            .page = "placement",
        },
    [WEIR_FINDING_SHARED_MEMORY] =
        {
            .name = "shared-memory",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_MEMORY,
            .meaning = "the provider is shared memory, and no network took part",
            .detection = "the name of the provider",
            .threshold = "any run over shm",
            .remedy = "another --provider, and several hosts",
            .test = "unit.net_result: shm; silent over tcp between hosts",
            .page = "net",
        },
    [WEIR_FINDING_SHARED_TARGET] =
        {
            .name = "shared-target",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "storage targets, or directories of mdtest and ior, share a file system, a "
                       "directory or a disk of their node",
            .detection = "mount points, and the chain of block devices behind them; device and "
                         "inode of the directories",
            .threshold = "one pair",
            .remedy = "name one directory on each disk",
            .test = "mpi.targets: two directories of a tmpfs; silent with two tmpfs",
            .page = "targets",
        },
    [WEIR_FINDING_SHORT] =
        {
            .name = "short",
            .former = {"brief"},
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the phase took less than 0.1 s, in which start-up and caches weigh heavily",
            .detection = "the time of the phase. In weir net, that of a measurement",
            .threshold =
                "0.1 s, in weir net 0.05 s. Below, start and end weigh as much as transfers",
            .remedy = "more data. With direct I/O, -O minTimeDuration=SECONDS also helps",
            .test = "unit.audit, unit.net_result: a phase of a few milliseconds; silent above the "
                    "threshold",
        },
    [WEIR_FINDING_SHORT_TRANSFERS] =
        {
            .name = "short-transfers",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "transfers moved less than was asked for, and were continued",
            .detection = "the results of read and write calls",
            .threshold = "one transfer",
            .remedy = "none, if they are few. Otherwise check for a full or interrupted storage",
            .test = "unit.audit: three short transfers; silent without them",
        },
    [WEIR_FINDING_SIZES_DIFFER] =
        {
            .name = "sizes-differ",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks see different sizes of the same file",
            .detection = "the size of the shared file on each rank",
            .threshold = "any byte",
            .remedy = "check that all nodes mount the same storage",
            .test = "unit.audit: two sizes; silent with one",
        },
    [WEIR_FINDING_SKEWED_START] =
        {
            .name = "skewed-start",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks began the same execution of a label at different times. Some worked "
                       "alone, so that rates of single ranks are not those of all together",
            .detection =
                "starts of a label that moves data, if a rank executes it up to three times",
            .threshold = "1 ms on average, and a quarter of the mean time of an execution",
            .remedy = "barrier; before the label",
            .test = "unit.parabench_report: starts that lie apart; silent for labels that start "
                    "together",
            .page = "result-file",
        },
    [WEIR_FINDING_SKIPPED] =
        {
            .name = "skipped",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the time limit was over before the phase began",
            .detection = "the time limit, before each phase",
            .threshold = "one phase",
            .remedy = "a greater -T",
            .test = "unit.audit: a phase that was skipped; silent for others",
        },
    [WEIR_FINDING_SLOW_TARGET] =
        {
            .name = "slow-target",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "a storage target is slower than the others when measured alone",
            .detection = "rates of targets that weir targets measured alone",
            .threshold = "3.5 times the scaled median deviation below the median, and a tenth of "
                         "it. The page has the rule",
            .remedy = "check its device, RAID and server, and measure it again",
            .test = "mpi.targets, unit.peers: one slow target; silent among alike ones",
            .page = "targets",
        },
    [WEIR_FINDING_SMALL_REQUESTS] =
        {
            .name = "small-requests",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the device received the transfers in small pieces",
            .detection =
                "bytes per request of the device below the file system (/sys/block/*/stat), with "
                "direct I/O. Silent where other traffic is more than a quarter",
            .threshold = "half of a transfer, and of 512 KiB. Common limits of a request are 512 "
                         "and 1280 KiB",
            .remedy = "a greater max_sectors_kb",
            .test = "mpi.supply: max_sectors_kb 64 and transfers of 1 MiB; silent for transfers of "
                    "64 KiB",
            .page = "depth",
        },
    [WEIR_FINDING_SOFTWARE_RDMA] =
        {
            .name = "software-rdma",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the RDMA device is software (soft-RoCE), whose rates are those of CPUs",
            .detection = "the name of the device (rxe)",
            .threshold = "one rank",
            .remedy = "another --device",
            .test = "unit.net_result: rxe0; silent on mlx5_0",
            .page = "net",
        },
    [WEIR_FINDING_SPREAD] =
        {
            .name = "spread",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "repetitions of a phase, or executions of a label, differ so much that "
                       "their mean is the rate of none of them",
            .detection =
                "(greatest - least) / mean of the rates of all complete repetitions. In weir "
                "targets those of one target, in programs those of one label on one rank",
            .threshold = "30 %. Repetitions on quiet file systems differ by 5 to 15 %",
            .remedy = "more repetitions, at a time when others are quiet",
            .test = "mpi.spread, unit.spread: a repetition that is three times as slow; silent for "
                    "alike ones",
        },
    [WEIR_FINDING_STALL] =
        {
            .name = "stall",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "no transfer ended for a long time, so that the rate is not that of a "
                       "working storage. A rank, its node, the network or the storage stopped",
            .detection = "the longest time without a completed transfer, over all ranks and on "
                         "each rank; the longest transfer",
            .threshold =
                "1 s, or 0.25 s and a fifth of the phase. Also 20 times the slowest usual "
                "transfer, or 100 times the median and 8 times that. Planned pauses are subtracted",
            .remedy = "repeat the run, and look for the cause if it comes back",
            .test = "mpi.disturbed, mpi.spread, unit.audit, unit.spread: a stopped rank, and a "
                    "transfer of 1.5 s; silent for pauses of the plan",
            .page = "depth",
        },
    [WEIR_FINDING_STEAL] =
        {
            .name = "steal",
            .former = {"stolen"},
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "the hypervisor gave the CPUs of the ranks to other guests",
            .detection = "steal of /proc/stat on the CPUs of each rank",
            .threshold = "2 %, and 30 ms. Less is lost in noise and in ticks of 10 ms",
            .remedy = "a host with less load. Do not compare this run with others",
            .test = "unit.stolen, unit.audit_places: recorded /proc/stat; silent below the "
                    "threshold",
            .page = "placement",
        },
    [WEIR_FINDING_STONEWALL] =
        {
            .name = "stonewall",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks had done unequal work when the deadline stopped them. The rate "
                       "counts what each of them did",
            .detection = "transfers of each rank until the deadline",
            .threshold = "20 % between the least and the most. Ranks that share a storage differ "
                         "by 5 to 15 %",
            .remedy = "-O stoneWallingWearOut=1, which makes the work equal",
            .test = "unit.audit: 10 and 20 transfers; silent for alike ranks and with wear-out",
        },
    [WEIR_FINDING_STORAGE_DIFFERS] =
        {
            .name = "storage-differs",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "nodes see different files or kinds of file systems behind the same path. "
                       "As inform, each node has a local file system, which may be intended",
            .detection = "device and inode of what the first rank of each node works in; type and "
                         "source of the mounts",
            .threshold = "one pair of nodes. Unknown where each client numbers files by itself",
            .remedy = "a directory that all nodes share",
            .test = "mpi.storage_differs, unit.audit_names: tmpfs and ramfs of two virtual hosts; "
                    "silent for a shared directory",
            .page = "page-cache",
        },
    [WEIR_FINDING_SUBMIT_BLOCKS] =
        {
            .name = "submit-blocks",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "submission took most of the time of a transfer. The system call did the "
                       "work itself, as with buffered I/O and growing files",
            .detection = "medians of the time of submission and of the whole transfer",
            .threshold = "half of the transfer",
            .remedy = "--direct, and existing files",
            .test = "unit.audit: 110 of 200 us; silent at 90",
            .page = "depth",
        },
    [WEIR_FINDING_SYNC_NO_EFFECT] =
        {
            .name = "sync-no-effect",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "data were still dirty after a sync of the plan, which had no effect",
            .detection = "dirty pages of the files after the last sync. Without cachestat, "
                         "counters of devices",
            .threshold = "1 % dirty, as a sync leaves no page. By counters, less than half of the "
                         "data written",
            .remedy =
                "remove the library (LD_PRELOAD, eatmydata) or mount option that swallows syncs",
            .test = "mpi.dirty_pages: a library whose fsync does nothing; silent without it",
            .page = "page-cache",
        },
    [WEIR_FINDING_THROTTLED] =
        {
            .name = "throttled",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "ranks stopped as a control group had used up its CPU quota",
            .detection =
                "cpu.stat of the control group and its parents, before and after each phase",
            .threshold = "1 % of the phase. Less is the end of one period",
            .remedy = "raise cpu.max (a container's --cpus), or use fewer ranks",
            .test = "mpi.disturbed, unit.audit_places: a quota of 20 %; silent without it",
            .page = "placement",
        },
    [WEIR_FINDING_TREND] =
        {
            .name = "trend",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning =
                "the rate rose or fell during the phase, so that its mean depends on the length",
            .detection = "the last third against the first third of the time in which all ranks "
                         "transferred. Final syncs and pauses of the plan are left out",
            .threshold = "20 %, in phases of 3 s or more, and a Mann-Kendall test with p < 1 % "
                         "over 30 parts",
            .remedy = "a longer phase, until the rate is steady",
            .test = "mpi.spread, unit.spread: transfers that take twice as long from the middle "
                    "on; silent for steady ones",
        },
    [WEIR_FINDING_TRUNK] =
        {
            .name = "trunk",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "all pairs at once have less than the sum of what each has alone",
            .detection = "the sum of all pairs at once, against the sum of what each has alone",
            .threshold = "90 %. Not where one-link explains it",
            .remedy = "none, unless pairs share a port or a host. It is the result of the run",
            .test = "unit.net_result: pairs that are slower together; silent from 90 % on",
            .page = "net",
        },
    [WEIR_FINDING_UNLOGGED] =
        {
            .name = "unlogged",
            .severity = WEIR_WARNING,
            .effect = WEIR_INFORM,
            .meaning = "the log of savePerOpDataCSV had no room for all transfers",
            .detection = "transfers that found the log full",
            .threshold = "one transfer",
            .remedy = "--result, which counts all of them",
            .test = "unit.audit: seven transfers; silent without any",
        },
    [WEIR_FINDING_UNSYNCED] =
        {
            .name = "unsynced",
            .severity = WEIR_NOTE,
            .effect = WEIR_VOID,
            .measures = WEIR_MEASURE_CACHE,
            .meaning = "a part of the written data was still in memory when the timed part of the "
                       "phase ended",
            .detection =
                "dirty pages of the files that ranks wrote, right after the phase (cachestat, "
                "Linux 6.5). Trees are sampled, programs counted by label. On older kernels "
                "counters of devices and networks, and the time of an untimed sync",
            .threshold = "5 %, as repetitions differ by as much. Labels count from 1 MiB written "
                         "on (16 MiB by counters)",
            .remedy =
                "a sync in the time (-e, -y, conv=fsync, fsync in the timed block), or direct I/O",
            .test = "mpi.dirty_pages: buffered writes of every dialect, next to a foreign writer; "
                    "silent with a sync and with direct I/O",
            .page = "page-cache",
        },
    [WEIR_FINDING_VOLATILE_CACHE] =
        {
            .name = "volatile-cache",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "a sync ends in memory. The device below keeps nothing without power",
            .detection =
                "names of devices (ram, zram, nullb), and the file system of the file behind a "
                "loop device. A guest cannot see the cache of a virtual disk (cache=unsafe)",
            .threshold = "any such device, in phases whose plan syncs",
            .remedy = "a device that keeps its data",
            .test = "mpi.dirty_pages: a loop device over a file in tmpfs; silent over a file on a "
                    "disk",
            .page = "page-cache",
        },
    [WEIR_FINDING_VOLATILE_MOUNT] =
        {
            .name = "volatile-mount",
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "a mount option makes syncs return before data are stable",
            .detection = "mount options (volatile, fsync=volatile, nobarrier, barrier=0, "
                         "fsync_mode=nobarrier). Clients cannot see async exports of a server or "
                         "sync=disabled of ZFS",
            .threshold = "any such option, in phases whose plan syncs",
            .remedy = "a mount without the option",
            .test = "mpi.dirty_pages: an overlay with volatile, and ext4 with nobarrier; silent "
                    "without the options",
            .page = "page-cache",
        },
    [WEIR_FINDING_WARM_UP] =
        {
            .name = "warm-up",
            .severity = WEIR_NOTE,
            .effect = WEIR_QUALIFY,
            .meaning = "the first repetition of three or more differs from all others",
            .detection = "the rate of the first repetition, against the mean of the others. "
                         "cpu-pressure in any of them explains it",
            .threshold =
                "20 % from the mean, and further from each of the others than they are apart",
            .remedy = "leave the first repetition out, or warm up before the run",
            .test = "mpi.spread, unit.spread: a first repetition that is three times as slow; "
                    "silent for alike ones",
        },
    [WEIR_FINDING_WOULD_BLOCK] =
        {
            .name = "would-block",
            .severity = WEIR_NOTE,
            .effect = WEIR_INFORM,
            .meaning = "transfers that would have blocked (--uring.nowait, --libaio.nowait) were "
                       "submitted again. Their time has both attempts",
            .detection = "EAGAIN from the kernel",
            .threshold = "one transfer",
            .remedy = "leave nowait out",
            .test = "unit.audit: blocked transfers; silent without them",
            .page = "depth",
        },
    [WEIR_FINDING_WRONG_DATA] =
        {
            .name = "wrong-data",
            .former = {"data"},
            .severity = WEIR_WARNING,
            .effect = WEIR_VOID,
            .meaning = "transfers held wrong data. The report names file, offset and kind of the "
                       "first ones",
            .detection = "the comparison of every byte that is checked",
            .threshold = "one byte",
            .remedy = "keep the files (-K), and check them",
            .test = "unit.audit, mpi.corruption: bytes changed in the files; silent without",
            .page = "result-file",
        },
    [WEIR_FINDING_WRONG_NODE] =
        {
            .name = "wrong-node",
            .severity = WEIR_WARNING,
            .effect = WEIR_QUALIFY,
            .meaning = "pages of a rank's buffers are on other NUMA nodes than wanted. There was "
                       "no room, or pages or rank were moved",
            .detection = "move_pages(2) on the buffers",
            .threshold = "1 % of the pages. Fewer change no rate",
            .remedy = "free memory on the node (numactl -H), or --membind local, which insists",
            .test = "mpi.numa, unit.audit_places: a machine with two NUMA nodes; silent with near "
                    "buffers",
            .page = "placement",
        },
};
