/* SPDX-License-Identifier: Apache-2.0 */
/* Generations are drawn by rank 0 when a write begins, remembered for the reads of the same run,
 * and otherwise learned from the stamps in the file. */
#include "identity.h"

#include "samples.h"
#include "weir/base/remedy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one place of a file tells. */
struct evidence {
    bool is_found;
    struct weir_identity identity;
};

/* The first stamp in a stretch of data. Transfers of any multiple of 8 bytes begin with one, so any
 * such place may. */
static bool find_stamp(const unsigned char *data, size_t bytes, struct weir_identity *identity)
{
    struct weir_stamp_facts facts;

    for (size_t at = 0; at + WEIR_STAMP_BYTES <= bytes; at += sizeof(uint64_t))
        if (weir_stamp_read(data + at, &facts) && facts.mode != WEIR_PAYLOAD_NONE) {
            *identity = (struct weir_identity){
                .generation = facts.generation,
                .transfer_bytes = facts.transfer_bytes,
                .seed = facts.seed,
                .mode = (enum weir_payload_mode)facts.mode,
                .format = facts.format,
            };
            return true;
        }
    return false;
}

/* Of a stretch of data that are to be IOR's, in a file that this rank handles. */
static bool find_ior(const struct weir_phase *phase, const struct weir_stretch *stretch,
                     struct weir_identity *identity)
{
    struct weir_traces traces = {.has_any_signature = true};
    int32_t signature;

    *identity = (struct weir_identity){
        .transfer_bytes = phase->transfers.layout.transfer_bytes,
        .mode = WEIR_PAYLOAD_IOR,
        .pattern = phase->transfers.payload.pattern,
        .seed = phase->transfers.payload.seed,
    };
    if (identity->pattern != WEIR_IOR_TIMESTAMP && identity->pattern != WEIR_IOR_OFFSET)
        return false;
    if (weir_recognise_signature(stretch, identity->transfer_bytes,
                                 identity->pattern == WEIR_IOR_OFFSET, &signature)) {
        identity->seed = (uint32_t)signature;
        return true;
    }
    /* Data of another transfer size have a seed, too: verification reports them as wrong. */
    if (stretch->offset > 0 || weir_recognise(&traces, stretch) != WEIR_CONTENT_IOR)
        return false;
    identity->seed = traces.signature;
    return traces.signature != 0;
}

/* Stamps are sought before the phase: a failure is reported as one of a transfer. */
static int fail_look(const struct weir_run *run, int code, const char *what, const char *path,
                     struct weir_error *error)
{
    if (code == -ENOENT && strcmp(what, "open") == 0)
        return weir_error_set(
            error, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name,
            "%s: %s: a check reads what this run has written, with " WEIR_REMEDY_WRITE
            ", or an earlier one with " WEIR_REMEDY_KEEP,
            path, strerror(-code));
    return weir_error_set(error, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name,
                          "%s %s, for its stamps: %s", what, path, strerror(-code));
}

static int fail_look_at(const struct weir_run *run, int code, uint64_t offset, const char *path,
                        struct weir_error *error)
{
    char what[48];

    snprintf(what, sizeof what, "read at offset %llu of", (unsigned long long)offset);
    return fail_look(run, code, what, path, error);
}

/* Opens an existing file, has `visit` called for samples of its first `bytes`, and closes it. */
static int visit_file(struct weir_run *run, const char *path, uint64_t bytes,
                      void (*visit)(void *context, const struct weir_sample *sample), void *context,
                      struct weir_error *error)
{
    struct weir_samples source;
    uint64_t offset = 0;
    int close_code, code = weir_samples_open(&source, run, path, NULL);

    if (code != 0)
        return fail_look(run, code, "open", path, error);
    code = weir_samples_visit(&source, bytes, visit, context, &offset);
    if (code != 0)
        fail_look_at(run, code, offset, path, error);
    close_code = weir_samples_close(&source);
    if (code == 0 && close_code != 0)
        code = fail_look(run, close_code, "close", path, error);
    return code;
}

struct learning {
    const struct weir_phase *phase;
    struct evidence places[WEIR_SAMPLES];
};

static void learn_from(void *context, const struct weir_sample *sample)
{
    struct learning *learning = context;
    struct evidence *evidence = &learning->places[sample->number];
    const struct weir_stretch stretch = weir_sample_stretch(sample);

    evidence->is_found = learning->phase->transfers.payload.mode == WEIR_PAYLOAD_IOR
                             ? find_ior(learning->phase, &stretch, &evidence->identity)
                             : find_stamp(sample->data, sample->bytes, &evidence->identity);
}

/* Data of IOR have no generation, and stamps of one file have one seed. */
static bool is_alike(const struct weir_identity *one, const struct weir_identity *other)
{
    return one->generation == other->generation && one->seed == other->seed;
}

static unsigned count_alike(const struct evidence places[WEIR_SAMPLES],
                            const struct weir_identity *identity)
{
    unsigned count = 0;

    for (unsigned i = 0; i < WEIR_SAMPLES; i++)
        count += places[i].is_found && is_alike(&places[i].identity, identity);
    return count;
}

static const struct evidence *choose(const struct evidence places[WEIR_SAMPLES])
{
    const struct evidence *best = NULL;
    unsigned best_count = 0;

    for (unsigned i = 0; i < WEIR_SAMPLES; i++) {
        const struct weir_identity *identity = &places[i].identity;
        unsigned count = places[i].is_found ? count_alike(places, identity) : 0;
        bool is_newer =
            best != NULL && count == best_count && identity->generation > best->identity.generation;

        if (count > best_count || is_newer) {
            best = &places[i];
            best_count = count;
        }
    }
    return best;
}

/* Looks for what tells the identity at a few places of the first `bytes` of an existing file
 * (UINT64_MAX: all of it), outside of any timing. Sets *found to whether there is any, and then
 * *identity to that of most of them (of equally many: the newest). */
static int learn(struct weir_run *run, const struct weir_phase *phase, const char *path,
                 uint64_t bytes, struct weir_identity *identity, bool *found,
                 struct weir_error *error)
{
    struct learning learning = {.phase = phase};
    const struct evidence *chosen;
    int code = visit_file(run, path, bytes, learn_from, &learning, error);

    if (code != 0)
        return code;
    chosen = choose(learning.places);
    *found = chosen != NULL;
    if (chosen != NULL)
        *identity = chosen->identity;
    return 0;
}

/* IOR takes the time if no signature is given: never 0, and with no sign, which would hide the
 * rank. */
static uint32_t seed_of(const struct weir_run *run, const struct weir_payload *payload)
{
    if (payload->seed_is_given)
        return payload->seed;
    return payload->mode == WEIR_PAYLOAD_IOR ? run->data_seed & INT32_MAX : run->data_seed;
}

/* Data without a single stamp may be damaged, or another program's: the expected data are
 * unknown. */
static int refuse_unknown(struct weir_run *run, const char *path, bool found,
                          struct weir_error *error)
{
    if (!weir_group_any(run->group, found))
        weir_error_set(error, WEIR_EXIT_FLAWED, -ENODATA, run->backend->descriptor.name,
                       "%s: no stamp tells what this data ought to be: it was not written by weir, "
                       "or without a payload, or nothing of it is left; " WEIR_REMEDY_UNKNOWN_DATA,
                       path);
    return weir_group_agree(run->group, error);
}

/* Like above: only counting words tell their signature. */
static int refuse_unsigned(struct weir_run *run, const char *path, bool found,
                           struct weir_error *error)
{
    if (!weir_group_any(run->group, found))
        weir_error_set(error, WEIR_EXIT_FLAWED, -ENODATA, run->backend->descriptor.name,
                       "%s: the signature of IOR's data cannot be learned from the file: give the "
                       "one that it was written with, " WEIR_REMEDY_SEED " SEED",
                       path);
    return weir_group_agree(run->group, error);
}

/* A rank that found nothing expects what one found that has the newest generation: what it looked
 * at may be damaged, and the rest of its files as good as any. */
static int adopt_identity(struct weir_run *run, bool found, uint64_t newest,
                          struct weir_identity *identity)
{
    bool is_newest = found && identity->generation == newest;
    uint64_t first = is_newest ? (uint64_t)run->group->rank : UINT64_MAX;
    struct weir_identity others = *identity;
    int code;

    if (!weir_group_any(run->group, !found))
        return 0;
    code = weir_group_reduce(run->group, &first, 1, WEIR_MIN);
    if (code != 0 || first == UINT64_MAX)
        return code;
    code = weir_group_broadcast(run->group, &others, sizeof others, (int)first);
    if (!found)
        *identity = others;
    return code;
}

/* Of a shared file, ranks expect the identity that rank 0 found; of own files, each expects the one
 * that it found itself. Then the newest generation holds for all: files that some ranks did not
 * rewrite are stale. */
static int agree_generation(struct weir_run *run, const struct weir_phase *phase, bool found,
                            struct weir_identity *identity)
{
    uint64_t newest = found ? identity->generation : 0;
    int code;

    if (phase->target->is_shared)
        return weir_group_broadcast(run->group, identity, sizeof *identity, 0);
    code = weir_group_reduce(run->group, &newest, 1, WEIR_MAX);
    if (code == 0)
        code = adopt_identity(run, found, newest, identity);
    identity->generation = newest;
    return code;
}

/* Likewise: signatures that the user did not give are times. */
static int agree_signature(struct weir_run *run, bool found, struct weir_identity *identity)
{
    uint64_t newest = found ? identity->seed : 0;
    int code = weir_group_reduce(run->group, &newest, 1, WEIR_MAX);

    identity->seed = (uint32_t)newest;
    return code;
}

/* A device does not end where the data do, and behind them may be some of earlier runs. */
static uint64_t bytes_to_look_at(const struct weir_run *run, const struct weir_phase *phase)
{
    if (!phase->target->is_device)
        return UINT64_MAX;
    return weir_layout_bytes_per_rank(&phase->transfers.layout) *
           (phase->target->is_shared ? (uint64_t)run->group->size : 1);
}

/* Of what early builds wrote, pages alone could be checked. */
static int refuse_format(struct weir_run *run, const char *path, const struct weir_identity *found,
                         struct weir_error *error)
{
    if (found != NULL && found->format != weir_stamp_format(found->mode))
        weir_error_set(error, WEIR_EXIT_FLAWED, -ENODATA, run->backend->descriptor.name,
                       "%s: its stamps are of format %u, from another version of weir, and this "
                       "one reads format %u: write the file again",
                       path, found->format, weir_stamp_format(found->mode));
    return weir_group_agree(run->group, error);
}

/* ---- data of IOR where stamps were expected ---- */

struct traces_of_ior {
    struct weir_traces traces;
    bool has_data, is_foreign;
};

static void trace(void *context, const struct weir_sample *sample)
{
    struct traces_of_ior *found = context;
    const struct weir_stretch stretch = weir_sample_stretch(sample);
    enum weir_content content = weir_recognise(&found->traces, &stretch);

    found->has_data |= content == WEIR_CONTENT_IOR;
    found->is_foreign |= content == WEIR_CONTENT_FOREIGN || content == WEIR_CONTENT_OLD_IOR;
}

/* Sets *pattern if all samples of a file hold data of IOR. */
static int find_pattern(struct weir_run *run, const char *path, uint64_t bytes,
                        enum weir_ior_pattern *pattern, bool *found, struct weir_error *error)
{
    struct traces_of_ior look = {.traces.has_any_signature = true};
    int code = visit_file(run, path, bytes, trace, &look, error);

    if (code != 0)
        return code;
    *found = look.has_data && !look.is_foreign;
    if (*found)
        *pattern = look.traces.pattern;
    return 0;
}

/* The payload that the file must have been written with, if no rank found a stamp: changed to
 * IOR's where that is what it holds. Collective. */
static int seek_ior(struct weir_run *run, const struct weir_phase *phase, const char *path,
                    struct weir_payload *payload, struct weir_error *error)
{
    enum weir_ior_pattern pattern = WEIR_IOR_TIMESTAMP;
    uint64_t found_pattern;
    bool found = false;
    int code;

    if (weir_run_handles_name(run, phase->target))
        find_pattern(run, path, bytes_to_look_at(run, phase), &pattern, &found, error);
    code = weir_group_agree(run->group, error);
    if (code != 0)
        return code;
    found_pattern = found ? (uint64_t)pattern + 1 : 0;
    code = weir_group_reduce(run->group, &found_pattern, 1, WEIR_MAX);
    if (code != 0 || found_pattern == 0)
        return code;
    payload->mode = WEIR_PAYLOAD_IOR;
    payload->pattern = (enum weir_ior_pattern)(found_pattern - 1);
    weir_text_add(&run->notes,
                  "%s holds data of IOR, " WEIR_REMEDY_PATTERN
                  " %c: verified as such, as with " WEIR_REMEDY_FOREIGN_DATA "\n",
                  path, "toir"[payload->pattern]);
    return 0;
}

/* What this rank finds in a file that it handles. Collective. */
static int learn_mine(struct weir_run *run, const struct weir_phase *phase, const char *path,
                      struct weir_identity *learned, bool *found, struct weir_error *error)
{
    if (weir_run_handles_name(run, phase->target))
        learn(run, phase, path, bytes_to_look_at(run, phase), learned, found, error);
    return weir_group_agree(run->group, error);
}

/* Here `phase` asks for data of IOR. */
static int learn_signature(struct weir_run *run, const struct weir_phase *phase, const char *path,
                           struct weir_identity *identity, struct weir_error *error)
{
    struct weir_identity learned = {0};
    bool found = false;
    int code;

    identity->mode = WEIR_PAYLOAD_IOR;
    identity->pattern = phase->transfers.payload.pattern;
    if (phase->transfers.payload.seed_is_given)
        return 0;
    code = learn_mine(run, phase, path, &learned, &found, error);
    if (code == 0)
        code = refuse_unsigned(run, path, found, error);
    if (code != 0)
        return code;
    if (found)
        identity->seed = learned.seed;
    return agree_signature(run, found, identity);
}

/* Stamps, or else what IOR wrote. */
static int learn_together(struct weir_run *run, const struct weir_phase *phase, const char *path,
                          struct weir_identity *identity, struct weir_error *error)
{
    const bool has_stamps = phase->transfers.layout.transfer_bytes >= WEIR_PIECE_REST_BYTES;
    struct weir_phase sought = *phase;
    struct weir_identity learned = {0};
    bool found = false;
    int code = learn_mine(run, phase, path, &learned, &found, error);

    if (code == 0 && has_stamps && !weir_group_any(run->group, found))
        code = seek_ior(run, phase, path, &sought.transfers.payload, error);
    if (code == 0 && sought.transfers.payload.mode == WEIR_PAYLOAD_IOR)
        return learn_signature(run, &sought, path, identity, error);
    if (code == 0 && has_stamps)
        code = refuse_unknown(run, path, found, error);
    if (code == 0)
        code = refuse_format(run, path, found ? &learned : NULL, error);
    if (code != 0)
        return code;
    if (found)
        *identity = learned;
    return agree_generation(run, phase, found, identity);
}

static int refuse_other_transfer_size(const struct weir_run *run, const struct weir_phase *phase,
                                      uint64_t written, struct weir_error *error)
{
    uint64_t reading = phase->transfers.layout.transfer_bytes;

    if (written == reading || (written % WEIR_PIECE_BYTES == 0 && reading % WEIR_PIECE_BYTES == 0))
        return 0;
    return weir_error_usage(
        error, run->test->dialect,
        "data written in transfers of %llu bytes cannot be checked in transfers "
        "of %llu bytes: use the same size, or multiples of 4096 for both",
        (unsigned long long)written, (unsigned long long)reading);
}

int weir_identity_expect(struct weir_run *run, const struct weir_phase *phase, const char *path,
                         struct weir_identity *identity, struct weir_error *error)
{
    int code;

    if (weir_run_has_written(run, phase->target)) {
        *identity = run->written.identity;
    } else {
        *identity = (struct weir_identity){.transfer_bytes = phase->transfers.layout.transfer_bytes,
                                           .mode = phase->transfers.payload.mode,
                                           .pattern = phase->transfers.payload.pattern,
                                           .seed = seed_of(run, &phase->transfers.payload)};
        code = phase->transfers.payload.mode == WEIR_PAYLOAD_IOR
                   ? learn_signature(run, phase, path, identity, error)
                   : learn_together(run, phase, path, identity, error);
        if (code != 0)
            return code;
    }
    refuse_other_transfer_size(run, phase, identity->transfer_bytes, error);
    code = weir_group_agree(run->group, error);
    if (code != 0)
        return code;
    identity->transfer_bytes = phase->transfers.layout.transfer_bytes;
    if (phase->transfers.payload.seed_is_given)
        identity->seed = phase->transfers.payload.seed;
    return 0;
}

int weir_identity_create(struct weir_run *run, const struct weir_phase *phase,
                         struct weir_identity *identity)
{
    uint64_t generation = (uint64_t)(weir_wall_clock_s() * 1e6);
    int code;

    if (generation <= run->last_generation)
        generation = run->last_generation + 1;
    code = weir_run_share(run, &generation);
    run->last_generation = generation;
    *identity = (struct weir_identity){
        .generation = phase->transfers.payload.mode == WEIR_PAYLOAD_IOR ? 0 : generation,
        .transfer_bytes = phase->transfers.layout.transfer_bytes,
        .seed = seed_of(run, &phase->transfers.payload),
        .mode = phase->transfers.payload.mode,
        .pattern = phase->transfers.payload.pattern,
        .is_blank = phase->transfers.payload.mode == WEIR_PAYLOAD_IOR && phase->is_prefill,
    };
    return code;
}
