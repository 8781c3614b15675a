/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a provider, and what is the same for all of them: links that come and go, and poll. */
#include "provider.h"

#include <errno.h>

const char *const *weir_fabric_left_out(void)
{
    return weir_providers_left_out;
}

int weir_fabric_open(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                     struct weir_error *error)
{
    (void)params;
    (void)fabric;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

void weir_fabric_close(struct weir_fabric *fabric)
{
    (void)fabric;
}

const struct weir_fabric_facts *weir_fabric_facts(const struct weir_fabric *fabric)
{
    (void)fabric;
    return 0;
}

const char *const *weir_fabric_providers(void)
{
    return NULL;
}

int weir_fabric_check(const struct weir_fabric *fabric, uint64_t locked_bytes, unsigned regions,
                      unsigned links, struct weir_error *error)
{
    (void)fabric;
    (void)locked_bytes;
    (void)regions;
    (void)links;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

void weir_fabric_diagnose(struct weir_diagnosis *diagnosis)
{
    (void)diagnosis;
}

int weir_region_open(struct weir_fabric *fabric, void *memory, size_t bytes,
                     const struct weir_slab *slab, bool is_served, struct weir_region **region,
                     struct weir_error *error)
{
    (void)fabric;
    (void)memory;
    (void)bytes;
    (void)slab;
    (void)is_served;
    (void)region;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

void weir_region_close(struct weir_region *region)
{
    (void)region;
}

struct weir_region_key weir_region_key(const struct weir_region *region)
{
    (void)region;
    return (struct weir_region_key){0};
}

int weir_fabric_listen(struct weir_fabric *fabric, const char *where,
                       char address[WEIR_ADDRESS_BYTES], struct weir_error *error)
{
    (void)fabric;
    (void)where;
    (void)address;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}

int weir_fabric_connect(struct weir_fabric *fabric, const char *address, const void *greeting,
                        size_t greeting_bytes, struct weir_link **link)
{
    (void)fabric;
    (void)address;
    (void)greeting;
    (void)greeting_bytes;
    (void)link;
    return -ENOSYS;
}

void weir_link_close(struct weir_link *link)
{
    (void)link;
}

void weir_link_set_owner(struct weir_link *link, void *owner)
{
    (void)link;
    (void)owner;
}

void *weir_link_owner(const struct weir_link *link)
{
    (void)link;
    return NULL;
}

const char *weir_link_peer(const struct weir_link *link)
{
    (void)link;
    return NULL;
}

unsigned weir_link_credits(const struct weir_link *link)
{
    (void)link;
    return 0;
}

unsigned weir_link_message_bytes(const struct weir_link *link)
{
    (void)link;
    return 0;
}

unsigned weir_link_mtu(const struct weir_link *link)
{
    (void)link;
    return 0;
}

int weir_link_post(struct weir_link *link, const struct weir_wire wires[], unsigned count)
{
    (void)link;
    (void)wires;
    (void)count;
    return -ENOSYS;
}

unsigned weir_link_flying(const struct weir_link *link)
{
    (void)link;
    return 0;
}

int weir_fabric_poll(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                     uint64_t patience_ns)
{
    (void)fabric;
    (void)events;
    (void)max;
    (void)patience_ns;
    return -ENOSYS;
}

void weir_fabric_wake(struct weir_fabric *fabric)
{
    (void)fabric;
}

void weir_link_release(struct weir_link *link, void *message)
{
    (void)link;
    (void)message;
}

struct weir_door_counts weir_fabric_door_counts(const struct weir_fabric *fabric)
{
    (void)fabric;
    return (struct weir_door_counts){0};
}

void weir_link_lose(struct weir_link *link, int code)
{
    (void)link;
    (void)code;
}
