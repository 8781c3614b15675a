/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what came over the network: nothing in it is believed before it was checked here. */
#include "protocol.h"

#include <errno.h>
#include <string.h>

/* Members and parts that a verb may have. Whatever it may not have must be 0. */
enum part {
    FLAGS_CREATE = WEIR_REQUEST_CREATE,
    FLAGS_ALLOCATE = WEIR_REQUEST_ALLOCATE,
    FLAGS_STORAGE = WEIR_REQUEST_STORAGE,
    FLAGS_DIRECTORY = WEIR_REQUEST_DIRECTORY,
    FLAGS_ALL = FLAGS_CREATE | FLAGS_ALLOCATE | FLAGS_STORAGE | FLAGS_DIRECTORY,
    OBJECT = 1 << 4,
    OFFSET = 1 << 5,
    BYTES = 1 << 6,
    STRIPES = 1 << 7, /* unit_bytes and count */
    COOKIE = 1 << 8,
    COUNT = 1 << 9,
    PATH = 1 << 10,
    NEW_PATH = 1 << 11,
    PAYLOAD = 1 << 12,
    MEMORY = 1 << 13
};

static const struct {
    unsigned may, must;
} parts_of[WEIR_VERB_COUNT] = {
    [WEIR_VERB_HELLO] = {PAYLOAD, PAYLOAD},
    [WEIR_VERB_PING] = {PAYLOAD, 0},
    [WEIR_VERB_OPEN] = {FLAGS_CREATE | STRIPES | PATH, PATH},
    [WEIR_VERB_CLOSE] = {OBJECT | BYTES, OBJECT},
    [WEIR_VERB_STAT] = {OBJECT | PATH, 0},
    [WEIR_VERB_SIZE] = {OBJECT | BYTES, OBJECT},
    [WEIR_VERB_UNLINK] = {PATH, PATH},
    [WEIR_VERB_RENAME] = {FLAGS_DIRECTORY | PATH | NEW_PATH, PATH | NEW_PATH},
    [WEIR_VERB_MKDIR] = {PATH, PATH},
    [WEIR_VERB_RMDIR] = {PATH, PATH},
    [WEIR_VERB_LOCK] = {PATH, PATH},
    [WEIR_VERB_UNLOCK] = {PATH, PATH},
    [WEIR_VERB_LIST] = {PATH | COOKIE | BYTES, 0}, /* of the top, if there is no path */
    [WEIR_VERB_MAP] = {FLAGS_ALLOCATE | OBJECT | OFFSET | COUNT, OBJECT | COUNT},
    [WEIR_VERB_RELEASE] = {OBJECT, OBJECT},
    [WEIR_VERB_DROP] = {OBJECT, OBJECT},
    [WEIR_VERB_COMMIT] = {FLAGS_STORAGE | OBJECT | COUNT | PAYLOAD, OBJECT},
    [WEIR_VERB_WRITE_PULL] = {OBJECT | OFFSET | BYTES | MEMORY, OBJECT | BYTES},
    [WEIR_VERB_READ_PUSH] = {OBJECT | OFFSET | BYTES | MEMORY, OBJECT | BYTES},
    [WEIR_VERB_WRITE_SEND] = {OBJECT | OFFSET | BYTES | PAYLOAD, OBJECT | BYTES},
    [WEIR_VERB_READ_SEND] = {OBJECT | OFFSET | BYTES, OBJECT | BYTES},
};

static bool has_only(const struct weir_request *request, unsigned parts)
{
    static const struct weir_region_key no_memory;
    bool has_memory =
        memcmp(&request->memory, &no_memory, sizeof no_memory) != 0 || request->address;

    return !(request->flags & ~(parts & FLAGS_ALL)) &&
           (parts & OBJECT || (!request->object && !request->generation)) &&
           (parts & OFFSET || !request->offset) && (parts & BYTES || !request->bytes) &&
           (parts & STRIPES || !request->unit_bytes) && (parts & COOKIE || !request->cookie) &&
           (parts & (COUNT | STRIPES) || !request->count) &&
           (parts & PATH || !request->path_bytes) &&
           (parts & NEW_PATH || !request->new_path_bytes) &&
           (parts & PAYLOAD || !request->payload_bytes) && (parts & MEMORY || !has_memory) &&
           !request->reserved;
}

static bool has_all(const struct weir_request *request, unsigned parts)
{
    return (!(parts & OBJECT) || (request->object && request->generation)) &&
           (!(parts & BYTES) || request->bytes) && (!(parts & COUNT) || request->count) &&
           (!(parts & PATH) || request->path_bytes) &&
           (!(parts & NEW_PATH) || request->new_path_bytes) &&
           (!(parts & PAYLOAD) || request->payload_bytes);
}

static bool is_path(const char *path, size_t bytes)
{
    return bytes && bytes <= WEIR_PATH_BYTES_MAX && !memchr(path, 0, bytes);
}

/* Neither end nor anything that is rounded up from it overflows. */
static bool is_range(uint64_t offset, uint64_t bytes)
{
    return offset <= WEIR_OBJECT_BYTES_MAX && bytes <= WEIR_OBJECT_BYTES_MAX - offset;
}

static bool is_memory(const struct weir_request *request)
{
    const struct weir_region_key *key = &request->memory;

    return request->bytes && key->bytes && key->address <= UINT64_MAX - key->bytes &&
           request->address >= key->address && request->bytes <= key->bytes &&
           request->address - key->address <= key->bytes - request->bytes;
}

/* By its name, or by its id: one of them. */
static bool has_one_name(const struct weir_parsed_request *parsed)
{
    bool has_path = parsed->request.path_bytes;
    bool has_id = parsed->request.object && parsed->request.generation;
    bool has_part = parsed->request.object || parsed->request.generation;

    return has_path ? !has_part : has_id;
}

static bool has_ranges(const struct weir_parsed_request *parsed)
{
    const struct weir_request *request = &parsed->request;

    if (request->count > WEIR_RANGES_MAX ||
        request->payload_bytes != request->count * sizeof(struct weir_range))
        return false;
    for (uint32_t i = 0; i < request->count; i++) {
        struct weir_range range;

        memcpy(&range, parsed->payload + i * sizeof range, sizeof range);
        if (!is_range(range.offset, range.bytes))
            return false;
    }
    return true;
}

static bool has_stripes(const struct weir_request *request)
{
    if (!(request->flags & WEIR_REQUEST_CREATE))
        return !request->unit_bytes && !request->count;
    return request->unit_bytes && request->unit_bytes <= WEIR_OBJECT_BYTES_MAX && request->count &&
           request->count <= WEIR_OBJECT_SERVERS_MAX;
}

static bool is_sensible(const struct weir_parsed_request *parsed)
{
    const struct weir_request *request = &parsed->request;

    switch ((enum weir_verb)request->verb) {
    case WEIR_VERB_HELLO:
        return request->payload_bytes == sizeof(struct weir_hello);
    case WEIR_VERB_OPEN:
        return has_stripes(request);
    case WEIR_VERB_STAT:
        return has_one_name(parsed);
    case WEIR_VERB_MAP:
        return request->count <= WEIR_MAP_CHUNKS_MAX && request->offset % WEIR_CHUNK_BYTES == 0 &&
               is_range(request->offset, request->count * WEIR_CHUNK_BYTES);
    case WEIR_VERB_COMMIT:
        return has_ranges(parsed);
    case WEIR_VERB_WRITE_PULL:
    case WEIR_VERB_READ_PUSH:
        return is_memory(request) && request->bytes <= WEIR_PULL_BYTES_MAX;
    case WEIR_VERB_WRITE_SEND:
        return request->bytes == request->payload_bytes;
    default:
        return true;
    }
}

int weir_request_parse(const void *message, size_t bytes, struct weir_parsed_request *parsed)
{
    struct weir_request *request = &parsed->request;
    size_t rest = bytes - sizeof *request;

    if (bytes < sizeof *request)
        return -EBADMSG;
    memcpy(request, message, sizeof *request);
    if (!request->verb || request->verb >= WEIR_VERB_COUNT ||
        !has_only(request, parts_of[request->verb].may) ||
        !has_all(request, parts_of[request->verb].must) ||
        rest != (size_t)request->path_bytes + request->new_path_bytes + request->payload_bytes)
        return -EINVAL;
    parsed->path = (const char *)message + sizeof *request;
    parsed->new_path = parsed->path + request->path_bytes;
    parsed->payload = (const unsigned char *)parsed->new_path + request->new_path_bytes;
    if (request->path_bytes && !is_path(parsed->path, request->path_bytes))
        return -EINVAL;
    if (request->new_path_bytes && !is_path(parsed->new_path, request->new_path_bytes))
        return -EINVAL;
    if (parts_of[request->verb].must & OBJECT && !is_range(request->offset, request->bytes))
        return -EINVAL;
    return is_sensible(parsed) ? 0 : -EINVAL;
}

int weir_answer_parse(const void *message, size_t bytes, struct weir_answer *answer,
                      const unsigned char **payload)
{
    if (bytes < sizeof *answer)
        return -EBADMSG;
    memcpy(answer, message, sizeof *answer);
    if (answer->status > 0 || answer->status <= -4096 ||
        answer->payload_bytes != bytes - sizeof *answer)
        return -EBADMSG;
    *payload = (const unsigned char *)message + sizeof *answer;
    return 0;
}
