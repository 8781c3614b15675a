/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at /sys/class/net and /sys/class/infiniband. No address is read. */
#include "network_ports.h"

#include "weir/system/small_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As /sys/class/net/X/type has them. */
#define TYPE_ETHERNET 1
#define TYPE_INFINIBAND 32

/* ---- which there are ---- */

static void add(struct weir_network_ports *ports, const struct weir_network_port *port,
                const char *device)
{
    struct weir_network_port *added = &ports->ports[ports->count];

    if (ports->count == WEIR_PORTS_MAX || strlen(device) >= sizeof port->device)
        return;
    *added = *port;
    memcpy(added->device, device, strlen(device) + 1);
    ports->count++;
}

static void add_ports_of(const char *root, const char *device, struct weir_network_ports *ports)
{
    struct weir_name_list numbers;
    char layer[32];

    weir_name_list_open(&numbers, "%s/sys/class/infiniband/%s/ports", root, device);
    for (size_t i = 0; i < numbers.count; i++) {
        const char *number = numbers.entries[i]->d_name;
        struct weir_network_port port = {
            .number = (uint32_t)strtoul(number, NULL, 10),
            .has_hardware =
                weir_small_file_is_there("%s/sys/class/infiniband/%s/device", root, device),
        };

        weir_small_file_line(layer, sizeof layer, "%s/sys/class/infiniband/%s/ports/%s/link_layer",
                             root, device, number);
        port.is_infiniband = strcmp(layer, "InfiniBand") == 0;
        if (port.number > 0)
            add(ports, &port, device);
    }
    weir_name_list_close(&numbers);
}

static int64_t find_type(const char *root, const char *device)
{
    int64_t type = 0;

    weir_small_file_number(&type, "%s/sys/class/net/%s/type", root, device);
    return type;
}

void weir_network_ports_find(const char *root, struct weir_network_ports *ports)
{
    struct weir_name_list devices;

    ports->count = 0;
    weir_name_list_open(&devices, "%s/sys/class/infiniband", root);
    for (size_t i = 0; i < devices.count; i++)
        add_ports_of(root, devices.entries[i]->d_name, ports);
    weir_name_list_close(&devices);
    weir_name_list_open(&devices, "%s/sys/class/net", root);
    for (size_t i = 0; i < devices.count; i++) {
        const char *device = devices.entries[i]->d_name;
        const struct weir_network_port port = {
            .has_hardware = true,
            .is_infiniband = find_type(root, device) == TYPE_INFINIBAND,
        };

        if (weir_small_file_is_there("%s/sys/class/net/%s/device", root, device))
            add(ports, &port, device);
    }
    weir_name_list_close(&devices);
}

/* ---- what they are ---- */

/* "4: ACTIVE" is "active". */
static void keep_state(char *to, size_t bytes, const char *state)
{
    const char *word = strchr(state, ':');

    weir_small_text_copy(to, bytes, word != NULL ? word + 1 : state);
    for (; *to != '\0'; to++)
        *to = (char)tolower((unsigned char)*to);
}

static const char *kind_of_port(const char *device, const struct weir_network_port *port)
{
    int64_t type = 0;

    weir_small_file_number(&type, "%s/node_type", device);
    if (type == 4) /* "4: RNIC" */
        return "iwarp";
    return port->is_infiniband ? "infiniband" : "roce";
}

static void describe_port(const char *root, const struct weir_network_port *port,
                          struct weir_nic_facts *facts)
{
    char device[WEIR_ROOTED_PATH_BYTES];
    char line[64];

    snprintf(device, sizeof device, "%s/sys/class/infiniband/%s", root, port->device);
    snprintf(facts->name, sizeof facts->name, "%.20s/%u", port->device, port->number);
    snprintf(facts->kind, sizeof facts->kind, "%s", kind_of_port(device, port));
    weir_small_file_line(line, sizeof line, "%s/ports/%u/state", device, port->number);
    keep_state(facts->state, sizeof facts->state, line);
    /* "100 Gb/sec (4X EDR)" */
    if (weir_small_file_line(line, sizeof line, "%s/ports/%u/rate", device, port->number))
        facts->bits_per_s = (uint64_t)(strtod(line, NULL) * 1e9);
    weir_link_name(facts->driver, sizeof facts->driver, "%s/device/driver", device);
    facts->numa_node = weir_numa_node_above("%s/device", device);
}

static void describe_device(const char *root, const struct weir_network_port *port,
                            struct weir_nic_facts *facts)
{
    char device[WEIR_ROOTED_PATH_BYTES];
    int64_t type = find_type(root, port->device);
    int64_t megabits;

    snprintf(device, sizeof device, "%s/sys/class/net/%s", root, port->device);
    snprintf(facts->name, sizeof facts->name, "%s", port->device);
    if (type == TYPE_ETHERNET || port->is_infiniband)
        snprintf(facts->kind, sizeof facts->kind, port->is_infiniband ? "infiniband" : "ethernet");
    else
        snprintf(facts->kind, sizeof facts->kind, "type %u", (unsigned)type % 100000);
    weir_small_file_line(facts->state, sizeof facts->state, "%s/operstate", device);
    weir_link_name(facts->driver, sizeof facts->driver, "%s/device/driver", device);
    /* -1, or no answer at all, is what the kernel does not know. */
    if (weir_small_file_number(&megabits, "%s/speed", device) && megabits > 0)
        facts->bits_per_s = (uint64_t)megabits * 1000000;
    facts->numa_node = weir_numa_node_above("%s/device", device);
}

void weir_network_port_describe(const char *root, const struct weir_network_port *port,
                                struct weir_nic_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    if (port->number > 0)
        describe_port(root, port, facts);
    else
        describe_device(root, port, facts);
}
