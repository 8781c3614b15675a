/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the kernel. */
#include "retransmits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Two lines begin with "Tcp:": names, then values in the same order. */
static uint64_t tcp_retransmits(void)
{
    char names[1024], values[1024];
    FILE *file = fopen("/proc/net/snmp", "re");
    uint64_t found = UINT64_MAX;

    while (file != NULL && fgets(names, sizeof names, file) != NULL) {
        char *name_rest, *value_rest, *name, *value;

        if (strncmp(names, "Tcp:", 4) != 0 || fgets(values, sizeof values, file) == NULL)
            continue;
        name = strtok_r(names, " \n", &name_rest);
        value = strtok_r(values, " \n", &value_rest);
        while (name != NULL && value != NULL && strcmp(name, "RetransSegs") != 0) {
            name = strtok_r(NULL, " \n", &name_rest);
            value = strtok_r(NULL, " \n", &value_rest);
        }
        if (name == NULL || value == NULL || sscanf(value, "%" SCNu64, &found) != 1)
            found = UINT64_MAX;
        break;
    }
    if (file != NULL)
        fclose(file);
    return found;
}

/* `device` is "rxe0/1". Drivers have different counters: those that there are, added. */
static uint64_t port_retries(const char *device)
{
    static const char *const names[] = {"packet_seq_err", "local_ack_timeout_err",
                                        "rnr_nak_retry_err", "completer_retry_err"};
    const char *slash = strchr(device, '/');
    uint64_t sum = UINT64_MAX;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        uint64_t count;
        FILE *file;

        snprintf(path, sizeof path, "/sys/class/infiniband/%.*s/ports/%s/hw_counters/%s",
                 (int)strcspn(device, "/"), device, slash != NULL ? slash + 1 : "1", names[i]);
        file = fopen(path, "re");
        if (file == NULL)
            continue;
        if (fscanf(file, "%" SCNu64, &count) == 1)
            sum = sum == UINT64_MAX ? count : sum + count;
        fclose(file);
    }
    return sum;
}

uint64_t net_retransmits(const struct weir_fabric_facts *facts)
{
    if (strcmp(facts->provider, "tcp") == 0)
        return tcp_retransmits();
    return strcmp(facts->provider, "verbs") == 0 ? port_retries(facts->device) : UINT64_MAX;
}
