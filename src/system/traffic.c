/* SPDX-License-Identifier: Apache-2.0 */
/* Sums the counters of devices and networks. Their files stay open, so that reading them is one
 * system call each. */
#include "weir/system/environment.h"

#include "block_chain.h"
#include "client_stats.h"
#include "network_ports.h"
#include "weir/system/small_file.h"

#include "weir/base/error.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR_BYTES 512
#define PORT_WORD_BYTES 4 /* of port_rcv_data and port_xmit_data */
/* A node with so many disks is a server; reading them all would cost more than 0.1 ms. */
#define DISKS_MAX 32

/* Two counters: what comes in, what goes out. */
struct meter {
    int in;  /* of a device, the file with both */
    int out; /* -1: of a device */
    uint64_t unit_bytes;
};

struct weir_traffic_watch {
    size_t device_count;
    size_t port_count;
    size_t top_count;
    size_t disk_count;
    struct meter devices[WEIR_CHAIN_MAX]; /* lowest devices of the chain behind the target */
    struct meter ports[WEIR_PORTS_MAX];
    struct meter tops[WEIR_CHAIN_MAX]; /* devices that the file system is on */
    struct meter disks[DISKS_MAX];     /* all of the node, where the chain is not known */
    struct weir_client_watch *client; /* NULL = no counters of the file system's client */
    int loopback;                     /* bytes sent; -1: not counted */
};

static int open_counter(const char *directory, const char *name)
{
    char path[WEIR_ROOTED_PATH_BYTES];

    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return -1;
    return open(path, O_RDONLY | O_CLOEXEC);
}

static void close_counter(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* ---- what is watched ---- */

static void watch_device(const char *root, const char *name, struct meter *meters, size_t *count)
{
    char directory[WEIR_ROOTED_PATH_BYTES];
    int fd;

    snprintf(directory, sizeof directory, "%s/sys/class/block/%s", root, name);
    fd = open_counter(directory, "stat");
    if (fd >= 0)
        meters[(*count)++] = (struct meter){fd, -1, SECTOR_BYTES};
}

/* The facts may have been cut: the chain is followed anew, and holds each device once. Of a device
 * with others below it, these count its bytes. */
static void watch_devices(struct weir_traffic_watch *watch, const char *root,
                          const struct weir_storage_facts *facts)
{
    struct weir_block_chain chain = {0};

    for (uint32_t i = 0; i < facts->device_count; i++)
        weir_block_chain_add(&chain, root, facts->devices[i].name);
    for (size_t i = 0; i < chain.count; i++) {
        const struct weir_block_link *link = &chain.links[i];

        if (!link->has_parts)
            watch_device(root, link->name, watch->devices, &watch->device_count);
        if (link->level == 0)
            watch_device(root, link->name, watch->tops, &watch->top_count);
    }
}

/* Disks with hardware, or a hypervisor, behind them: what lies on top of them is counted by them.
 * None are watched if there are too many. */
static void watch_disks(struct weir_traffic_watch *watch, const char *root)
{
    struct weir_name_list names;

    weir_name_list_open(&names, "%s/sys/class/block", root);
    for (size_t i = 0; i < names.count && watch->disk_count < DISKS_MAX; i++) {
        const char *name = names.entries[i]->d_name;

        if (weir_small_file_is_there("%s/sys/class/block/%s/device", root, name) &&
            !weir_small_file_is_there("%s/sys/class/block/%s/partition", root, name))
            watch_device(root, name, watch->disks, &watch->disk_count);
    }
    weir_name_list_close(&names);
    if (watch->disk_count < DISKS_MAX)
        return;
    while (watch->disk_count > 0)
        close_counter(watch->disks[--watch->disk_count].in);
}

/* True if both counters are there; else none of them is open. */
static bool watch_pair(struct weir_traffic_watch *watch, const char *directory, const char *in,
                       const char *out, uint64_t unit_bytes)
{
    struct meter meter = {
        .in = open_counter(directory, in),
        .out = open_counter(directory, out),
        .unit_bytes = unit_bytes,
    };

    if (meter.in >= 0 && meter.out >= 0) {
        watch->ports[watch->port_count++] = meter;
        return true;
    }
    close_counter(meter.in);
    close_counter(meter.out);
    return false;
}

static void watch_port(struct weir_traffic_watch *watch, const char *root,
                       const struct weir_network_port *port)
{
    char directory[WEIR_ROOTED_PATH_BYTES];

    if (port->number == 0) {
        snprintf(directory, sizeof directory, "%s/sys/class/net/%s/statistics", root, port->device);
        watch_pair(watch, directory, "rx_bytes", "tx_bytes", 1);
        return;
    }
    snprintf(directory, sizeof directory, "%s/sys/class/infiniband/%s/ports/%u", root, port->device,
             port->number);
    if (!watch_pair(watch, directory, "counters/port_rcv_data", "counters/port_xmit_data",
                    PORT_WORD_BYTES))
        watch_pair(watch, directory, "hw_counters/rx_bytes", "hw_counters/tx_bytes", 1);
}

/* Bytes of IP over InfiniBand are counted by its ports already, and those of a port without
 * hardware by the network device below it. */
static void watch_network(struct weir_traffic_watch *watch, const char *root)
{
    struct weir_network_ports ports;
    bool has_infiniband = false;

    /* Network devices of Slingshot do not count its RDMA: a sum without it would look like a cache
     * of the client. */
    if (weir_small_file_is_there("%s/sys/class/cxi", root))
        return;
    weir_network_ports_find(root, &ports);
    for (size_t i = 0; i < ports.count; i++) {
        const struct weir_network_port *port = &ports.ports[i];
        const size_t count = watch->port_count;

        if (!port->has_hardware || (port->number == 0 && port->is_infiniband && has_infiniband))
            continue;
        watch_port(watch, root, port);
        has_infiniband |= port->number > 0 && port->is_infiniband && watch->port_count > count;
    }
}

struct weir_traffic_watch *weir_traffic_open(const char *root,
                                             const struct weir_storage_facts *facts)
{
    struct weir_traffic_watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        weir_error_out_of_memory();
    watch->loopback = -1;
    watch_devices(watch, root, facts);
    if (facts->is_network || facts->may_be_network) {
        char directory[WEIR_ROOTED_PATH_BYTES];

        watch_network(watch, root);
        snprintf(directory, sizeof directory, "%s/sys/class/net/lo/statistics", root);
        watch->loopback = open_counter(directory, "tx_bytes");
        watch->client = weir_client_watch_open(root, facts);
        if (facts->device_count == 0)
            watch_disks(watch, root);
    }
    return watch;
}

void weir_traffic_close(struct weir_traffic_watch *watch)
{
    if (watch == NULL)
        return;
    for (size_t i = 0; i < watch->device_count; i++)
        close_counter(watch->devices[i].in);
    for (size_t i = 0; i < watch->top_count; i++)
        close_counter(watch->tops[i].in);
    for (size_t i = 0; i < watch->disk_count; i++)
        close_counter(watch->disks[i].in);
    weir_client_watch_close(watch->client);
    for (size_t i = 0; i < watch->port_count; i++) {
        close_counter(watch->ports[i].in);
        close_counter(watch->ports[i].out);
    }
    close_counter(watch->loopback);
    free(watch);
}

/* ---- counting ---- */

static bool read_counter(int fd, char text[256])
{
    ssize_t length = pread(fd, text, 255, 0);

    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static uint64_t read_port(int fd, uint64_t unit_bytes)
{
    char text[256];

    return read_counter(fd, text) ? strtoull(text, NULL, 10) * unit_bytes : 0;
}

/* Requests and bytes in the two directions. */
struct device_counts {
    uint64_t reads;
    uint64_t read_bytes;
    uint64_t writes;
    uint64_t written_bytes;
};

/* Reads done, merged, sectors, time; and the same of writes. */
static struct device_counts sum_devices(const struct meter *meters, size_t count)
{
    struct device_counts sum = {0};

    for (size_t i = 0; i < count; i++) {
        uint64_t reads, sectors_read, writes, sectors_written;
        char text[256];

        if (!read_counter(meters[i].in, text) ||
            sscanf(text, "%" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64, &reads,
                   &sectors_read, &writes, &sectors_written) != 4)
            continue;
        sum.reads += reads;
        sum.read_bytes += sectors_read * meters[i].unit_bytes;
        sum.writes += writes;
        sum.written_bytes += sectors_written * meters[i].unit_bytes;
    }
    return sum;
}

void weir_traffic_read(const struct weir_traffic_watch *watch, struct weir_traffic *traffic)
{
    struct device_counts devices = sum_devices(watch->devices, watch->device_count);
    struct device_counts tops = sum_devices(watch->tops, watch->top_count);
    struct device_counts disks = sum_devices(watch->disks, watch->disk_count);

    *traffic = (struct weir_traffic){
        .has_devices = watch->device_count > 0,
        .has_network = watch->port_count > 0,
        .has_loopback = watch->loopback >= 0,
        .has_disks = watch->disk_count > 0,
        .device_read_bytes = devices.read_bytes,
        .device_written_bytes = devices.written_bytes,
        .top_reads = tops.reads,
        .top_read_bytes = tops.read_bytes,
        .top_writes = tops.writes,
        .top_written_bytes = tops.written_bytes,
        .loopback_bytes = watch->loopback >= 0 ? read_port(watch->loopback, 1) : 0,
        .disks_read_bytes = disks.read_bytes,
        .disks_written_bytes = disks.written_bytes,
    };
    weir_client_watch_read(watch->client, traffic);
    for (size_t i = 0; i < watch->port_count; i++) {
        const struct meter *meter = &watch->ports[i];

        traffic->network_received_bytes += read_port(meter->in, meter->unit_bytes);
        traffic->network_sent_bytes += read_port(meter->out, meter->unit_bytes);
    }
}

static uint64_t growth(uint64_t before, uint64_t after)
{
    return after > before ? after - before : 0;
}

struct weir_traffic weir_traffic_between(const struct weir_traffic *before,
                                         const struct weir_traffic *after)
{
    /* Counters that were not read anew, or were reset meanwhile, tell nothing. */
    const bool has_client = before->has_client && after->has_client &&
                            after->client_at_ns > before->client_at_ns &&
                            after->client_read_bytes >= before->client_read_bytes &&
                            after->client_written_bytes >= before->client_written_bytes;

    return (struct weir_traffic){
        .has_devices = before->has_devices && after->has_devices,
        .has_network = before->has_network && after->has_network,
        .has_loopback = before->has_loopback && after->has_loopback,
        .device_read_bytes = growth(before->device_read_bytes, after->device_read_bytes),
        .device_written_bytes = growth(before->device_written_bytes, after->device_written_bytes),
        .network_received_bytes =
            growth(before->network_received_bytes, after->network_received_bytes),
        .network_sent_bytes = growth(before->network_sent_bytes, after->network_sent_bytes),
        .loopback_bytes = growth(before->loopback_bytes, after->loopback_bytes),
        .top_reads = growth(before->top_reads, after->top_reads),
        .top_read_bytes = growth(before->top_read_bytes, after->top_read_bytes),
        .top_writes = growth(before->top_writes, after->top_writes),
        .top_written_bytes = growth(before->top_written_bytes, after->top_written_bytes),
        .has_client = has_client,
        .client_read_bytes = has_client ? after->client_read_bytes - before->client_read_bytes : 0,
        .client_written_bytes =
            has_client ? after->client_written_bytes - before->client_written_bytes : 0,
        .client_dirty_bytes = has_client ? after->client_dirty_bytes : 0,
        .client_cache_bytes = has_client ? after->client_cache_bytes : 0,
        .client_cached_bytes = has_client ? after->client_cached_bytes : 0,
        .has_disks = before->has_disks && after->has_disks,
        .disks_read_bytes = growth(before->disks_read_bytes, after->disks_read_bytes),
        .disks_written_bytes = growth(before->disks_written_bytes, after->disks_written_bytes),
    };
}
