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

static const unsigned parts_of[WEIR_VERB_COUNT] = {
    [WEIR_VERB_HELLO] = PAYLOAD,
    [WEIR_VERB_PING] = PAYLOAD,
    [WEIR_VERB_OPEN] = FLAGS_CREATE | STRIPES | PATH,
    [WEIR_VERB_CLOSE] = OBJECT | BYTES,
    [WEIR_VERB_STAT] = OBJECT | PATH,
    [WEIR_VERB_SIZE] = OBJECT | BYTES,
    [WEIR_VERB_UNLINK] = PATH,
    [WEIR_VERB_RENAME] = FLAGS_DIRECTORY | PATH | NEW_PATH,
    [WEIR_VERB_MKDIR] = PATH,
    [WEIR_VERB_RMDIR] = PATH,
    [WEIR_VERB_LOCK] = PATH,
    [WEIR_VERB_UNLOCK] = PATH,
    [WEIR_VERB_LIST] = PATH | COOKIE | BYTES,
    [WEIR_VERB_MAP] = FLAGS_ALLOCATE | OBJECT | OFFSET | COUNT,
    [WEIR_VERB_RELEASE] = OBJECT,
    [WEIR_VERB_DROP] = OBJECT,
    [WEIR_VERB_COMMIT] = FLAGS_STORAGE | OBJECT | COUNT | PAYLOAD,
    [WEIR_VERB_WRITE_PULL] = OBJECT | OFFSET | BYTES | MEMORY,
    [WEIR_VERB_READ_PUSH] = OBJECT | OFFSET | BYTES | MEMORY,
    [WEIR_VERB_WRITE_SEND] = OBJECT | OFFSET | BYTES | PAYLOAD,
    [WEIR_VERB_READ_SEND] = OBJECT | OFFSET | BYTES,
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
        return request->path_bytes && has_stripes(request);
    case WEIR_VERB_STAT:
        return has_one_name(parsed);
    case WEIR_VERB_RENAME:
        return request->path_bytes && request->new_path_bytes;
    case WEIR_VERB_UNLINK:
    case WEIR_VERB_MKDIR:
    case WEIR_VERB_RMDIR:
    case WEIR_VERB_LOCK:
    case WEIR_VERB_UNLOCK:
        return request->path_bytes;
    case WEIR_VERB_MAP:
        return request->object && request->generation && request->count &&
               request->count <= WEIR_MAP_CHUNKS_MAX && request->offset % WEIR_CHUNK_BYTES == 0 &&
               is_range(request->offset, request->count * WEIR_CHUNK_BYTES);
    case WEIR_VERB_COMMIT:
        return request->object && request->generation && has_ranges(parsed);
    case WEIR_VERB_WRITE_PULL:
    case WEIR_VERB_READ_PUSH:
        return request->object && request->generation && is_memory(request) &&
               request->bytes <= WEIR_PULL_BYTES_MAX && is_range(request->offset, request->bytes);
    case WEIR_VERB_WRITE_SEND:
        return request->object && request->generation && request->bytes &&
               request->bytes == request->payload_bytes &&
               is_range(request->offset, request->bytes);
    case WEIR_VERB_READ_SEND:
        return request->object && request->generation && request->bytes &&
               is_range(request->offset, request->bytes);
    case WEIR_VERB_CLOSE:
    case WEIR_VERB_SIZE:
    case WEIR_VERB_RELEASE:
    case WEIR_VERB_DROP:
        return request->object && request->generation && is_range(0, request->bytes);
    case WEIR_VERB_LIST: /* of the top, if there is no path */
    case WEIR_VERB_PING:
    case WEIR_VERB_COUNT:
        break;
    }
    return true;
}

int weir_request_parse(const void *message, size_t bytes, struct weir_parsed_request *parsed)
{
    struct weir_request *request = &parsed->request;
    size_t rest = bytes - sizeof *request;

    if (bytes < sizeof *request)
        return -EBADMSG;
    memcpy(request, message, sizeof *request);
    if (!request->verb || request->verb >= WEIR_VERB_COUNT ||
        !has_only(request, parts_of[request->verb]) ||
        rest != (size_t)request->path_bytes + request->new_path_bytes + request->payload_bytes)
        return -EINVAL;
    parsed->path = (const char *)message + sizeof *request;
    parsed->new_path = parsed->path + request->path_bytes;
    parsed->payload = (const unsigned char *)parsed->new_path + request->new_path_bytes;
    if (request->path_bytes && !is_path(parsed->path, request->path_bytes))
        return -EINVAL;
    if (request->new_path_bytes && !is_path(parsed->new_path, request->new_path_bytes))
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
