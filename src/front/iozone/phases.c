/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's tests as phases, in the order in which it runs them. */
#include "lowering.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One pass of a test. */
struct pass {
    const char *word;  /* in the setting "tests" */
    const char *title; /* in files of histograms */
    const char *hook;  /* argument of IMON_START and IMON_STOP */
    const char *log;   /* in names of the files of -Q */
    unsigned test;     /* of -i */
    bool is_retest;
    enum weir_verb verb;
    enum weir_order order;
    enum weir_iozone_part part; /* in single mode */
    bool goes_on;               /* behind the stonewall */
};

enum pass_name {
    WRITE,
    REWRITE,
    READ,
    REREAD,
    RANDOM_READ,
    RANDOM_WRITE,
    BACKWARD,
    RECORD_REWRITE,
    STRIDE,
    FWRITE,
    FREWRITE,
    FREAD,
    FREREAD,
    PWRITE,
    REPWRITE,
    PREAD,
    REPREAD,
    MIXED,
    END
};

#define STREAM WEIR_IOZONE_STREAM
#define PLACED WEIR_IOZONE_PLACED

static const struct pass passes[] = {
    [WRITE] = {"write", "Write", "Write", "wol", 0, false, .verb = WEIR_WRITE, .goes_on = true},
    [REWRITE] = {"rewrite", "Rewrite", "Rewrite", "rwol", 0, true, .verb = WEIR_WRITE},
    [READ] = {"read", "Read", "Read", "rol", 1, false, .verb = WEIR_READ},
    [REREAD] = {"reread", "Reread", "Reread", "rrol", 1, true, .verb = WEIR_READ},
    [RANDOM_READ] = {"random-read", "Random Read", "Randread", "randrol", 2, false,
                     .verb = WEIR_READ, .order = WEIR_ORDER_SHUFFLED},
    [RANDOM_WRITE] = {"random-write", "Random Write", "Randwrite", "randwol", 2, false,
                      .verb = WEIR_WRITE, .order = WEIR_ORDER_SHUFFLED, .goes_on = true},
    [BACKWARD] = {"backward", "Backward Read", "Revread", "revrol", 3, false, .verb = WEIR_READ,
                  .order = WEIR_ORDER_BACKWARD},
    [RECORD_REWRITE] = {"record-rewrite", "Record Rewrite", "", "recwol", 4, false,
                        .verb = WEIR_WRITE, .order = WEIR_ORDER_ONE_PLACE},
    [STRIDE] = {"stride", "Stride Read", "Strideread", "strol", 5, false, .verb = WEIR_READ,
                .order = WEIR_ORDER_STRIDED},
    [FWRITE] = {"fwrite", "Fwrite", "Fwrite", "fwol", 6, false, .verb = WEIR_WRITE, .part = STREAM},
    [FREWRITE] = {"frewrite", "Refwrite", "", "rfwol", 6, true, .verb = WEIR_WRITE, .part = STREAM},
    [FREAD] = {"fread", "Fread", "Fread", "frol", 7, false, .verb = WEIR_READ, .part = STREAM},
    [FREREAD] = {"freread", "Refread", "", "rfrol", 7, true, .verb = WEIR_READ, .part = STREAM},
    [PWRITE] = {"pwrite", "Pwrite", "Pwrite", "pwol", 9, false, .verb = WEIR_WRITE, .part = PLACED,
                .goes_on = true},
    [REPWRITE] = {"repwrite", "Repwrite", "", "rpwol", 9, true, .verb = WEIR_WRITE, .part = PLACED},
    [PREAD] = {"pread", "Pread", "Pread", "prol", 10, false, .verb = WEIR_READ, .part = PLACED},
    [REPREAD] = {"repread", "Repread", "", "rprol", 10, true, .verb = WEIR_READ, .part = PLACED},
    [MIXED] = {"mixed", "Mixed", "Mixed", "mixol", 8, false, .verb = WEIR_MIXED,
               .order = WEIR_ORDER_SHUFFLED, .goes_on = true},
};

static const enum pass_name single_order[] = {
    WRITE,  REWRITE,  READ,  REREAD,  RANDOM_READ, RANDOM_WRITE, BACKWARD, RECORD_REWRITE, STRIDE,
    FWRITE, FREWRITE, FREAD, FREREAD, PWRITE,      REPWRITE,     PREAD,    REPREAD,        END};
static const enum pass_name throughput_order[] = {
    WRITE, REWRITE,      READ,   REREAD, BACKWARD, STRIDE, RANDOM_READ,
    MIXED, RANDOM_WRITE, PWRITE, PREAD,  FWRITE,   FREAD,  END};

/* ---- which of them ---- */

static bool is_selected(const struct weir_iozone_lowering *lowering, const struct pass *pass,
                        enum weir_iozone_part part)
{
    enum weir_iozone_part own = pass->part;

    if (lowering->is_throughput && own == PLACED)
        own = WEIR_IOZONE_MAIN;
    return own == part && (lowering->selected >> pass->test & 1U) != 0 &&
           !(pass->is_retest && lowering->config->no_retest);
}

static const enum pass_name *order_of(const struct weir_iozone_lowering *lowering)
{
    return lowering->is_throughput ? throughput_order : single_order;
}

bool weir_iozone_has_part(const struct weir_iozone_lowering *lowering, enum weir_iozone_part part)
{
    for (const enum pass_name *name = order_of(lowering); *name != END; name++)
        if (is_selected(lowering, &passes[*name], part))
            return true;
    return false;
}

/* ---- one of them ---- */

static struct weir_layout layout_of(const struct weir_iozone_lowering *lowering,
                                    const struct pass *pass)
{
    const struct weir_iozone_config *config = lowering->config;
    const struct weir_iozone_telemetry *list = pass->test == 0   ? &lowering->writes
                                               : pass->test == 1 ? &lowering->reads
                                                                 : NULL;
    struct weir_layout layout = {
        .segment_count = 1,
        .block_bytes = lowering->file_bytes / lowering->record_bytes * lowering->record_bytes,
        .transfer_bytes = lowering->record_bytes,
        .order = pass->order,
    };

    if (list != NULL && list->listing.path != NULL)
        return (struct weir_layout){.segment_count = 1,
                                    .block_bytes = list->bytes,
                                    .transfer_bytes = list->largest,
                                    .order = WEIR_ORDER_LISTED,
                                    .listing = list->listing};
    if (pass->verb == WEIR_MIXED && config->mixes_in_order)
        layout.order = WEIR_ORDER_SEQUENTIAL;
    if (layout.order == WEIR_ORDER_STRIDED)
        layout.stride = (uint64_t)config->stride;
    layout.is_alike =
        layout.order == WEIR_ORDER_SHUFFLED && lowering->request->additions.has_same_order;
    return layout;
}

static void mix(const struct weir_iozone_lowering *lowering, struct weir_transfers *transfers)
{
    const struct weir_iozone_config *config = lowering->config;

    transfers->mixes_by_rank = true;
    transfers->reader_count = (uint64_t)config->readers;
    transfers->read_percent = (unsigned)config->read_percent;
    transfers->alternates = config->readers == 0 && config->read_percent == 0;
}

/* What only writes have, or only reads. */
static void give_direction(const struct weir_iozone_lowering *lowering, const struct pass *pass,
                           struct weir_transfers *transfers)
{
    const struct weir_iozone_config *config = lowering->config;

    if (weir_verb_writes(pass->verb)) {
        transfers->must_sync_each =
            config->is_sync || config->is_dsync || config->is_rsync ||
            (config->syncs_map && (config->uses_mmap || config->syncs_map_later));
    }
    if (weir_verb_reads(pass->verb)) {
        transfers->must_verify = config->verifies || config->pattern != NULL;
        transfers->ends_at_mismatch = transfers->must_verify;
    }
    if (pass->verb == WEIR_MIXED)
        mix(lowering, transfers);
    /* Throughput mode writes over what is there, and never makes it anew. */
    transfers->must_replace =
        pass == &passes[WRITE] && !lowering->is_throughput && !config->has_old_file;
}

/* Each pass begins and ends with clean files. The time has a sync in it with -e alone. With -c the
 * file is closed in the time, and the next pass syncs it. The initial write of throughput mode
 * begins without a sync. */
static void give_syncs(const struct weir_iozone_lowering *lowering, const struct pass *pass,
                       struct weir_transfers *transfers)
{
    transfers->must_sync_at_end = lowering->config->flushes;
    transfers->must_sync_before = pass != &passes[WRITE] || !lowering->is_throughput;
    transfers->must_sync_after = !lowering->config->counts_close;
}

bool weir_iozone_has_wall(const struct weir_iozone_lowering *lowering)
{
    return lowering->is_throughput && !lowering->config->has_no_wall &&
           lowering->config->rate == 0 && !lowering->base.load.must_find_depth &&
           lowering->base.load.rate.arrivals == WEIR_ARRIVALS_CLOSED;
}

static struct weir_phase make_phase(const struct weir_iozone_lowering *lowering,
                                    const struct pass *pass)
{
    const struct weir_iozone_config *config = lowering->config;
    const struct weir_load *load = &lowering->base.load;
    struct weir_phase phase = {
        .verb = pass->verb,
        .target = lowering->target,
        .depth = pass->part == STREAM ? 1 : load->depth,
        .must_find_depth = pass->part != STREAM && load->must_find_depth,
        .rate = load->rate,
        .stagger_ns = config->stagger_ns,
        .think_ns = config->think_ns,
        .transfers = {.layout = layout_of(lowering, pass),
                      .payload = lowering->payload,
                      .batch = 1,
                      .counts_close = config->counts_close,
                      .has_inner_barriers = lowering->is_throughput,
                      .log_name = config->has_latency_files ? pass->log : NULL,
                      .histogram_name = config->has_histograms ? pass->title : NULL},
    };

    phase.transfers.leaves_think_out =
        !config->counts_think &&
        (phase.think_ns > 0 || phase.transfers.layout.listing.pauses_ns > 0);
    give_direction(lowering, pass, &phase.transfers);
    give_syncs(lowering, pass, &phase.transfers);
    if (config->rate > 0)
        phase.rate = (struct weir_rate){WEIR_ARRIVALS_CONSTANT, (double)config->rate, false, true};
    phase.stop.ends_with_first = weir_iozone_has_wall(lowering) && pass->part != STREAM;
    phase.stop.has_wear_out = phase.stop.ends_with_first && pass->goes_on;
    return phase;
}

/* ---- what stands around it ---- */

static void add_hook(const struct weir_iozone_lowering *lowering, struct weir_step **steps,
                     const char *variable, const struct pass *pass)
{
    struct weir_plan *plan = lowering->base.plan;
    const char *command = getenv(variable);

    if (lowering->is_throughput && command != NULL && *command != '\0')
        weir_plan_add_command(plan, steps,
                              weir_arena_printf(&plan->arena, "%s %s", command, pass->hook), false);
}

static void add_remount(const struct weir_iozone_lowering *lowering, struct weir_step **steps)
{
    struct weir_plan *plan = lowering->base.plan;
    const char *place = lowering->config->remount;

    if (place != NULL)
        weir_plan_add_command(
            plan, steps, weir_arena_printf(&plan->arena, "umount '%s' && mount '%s'", place, place),
            true);
}

static void add_word(struct weir_iozone_lowering *lowering, const char *word)
{
    weir_text_add(&lowering->words, "%s%s", lowering->words.length > 0 ? " " : "", word);
}

static struct weir_phase *add_pass(struct weir_iozone_lowering *lowering, const struct pass *pass)
{
    struct weir_plan *plan = lowering->base.plan;
    struct weir_test *test = lowering->base.test;
    struct weir_phase phase = make_phase(lowering, pass), *added;
    bool is_first = test->number == 0 && lowering->words.length == 0;

    if (lowering->config->delay_ns > 0 && !is_first)
        weir_plan_add_sleep(plan, &test->steps, lowering->config->delay_ns);
    add_remount(lowering, &test->steps);
    add_hook(lowering, &test->steps, "IMON_START", pass);
    added = weir_plan_add_phase(plan, test, &test->steps, &phase);
    add_hook(lowering, &test->steps, "IMON_STOP", pass);
    add_word(lowering, pass->word);
    return added;
}

void weir_iozone_lower_phases(struct weir_iozone_lowering *lowering, enum weir_iozone_part part,
                              bool is_last)
{
    const struct weir_phase removal = {.verb = WEIR_REMOVE,
                                       .target = lowering->target,
                                       .depth = 1,
                                       .names.only_if_ending = !is_last};
    bool must_keep = lowering->config->keeps || lowering->config->is_foreign;
    struct weir_test *test = lowering->base.test;
    struct weir_phase *last = NULL;

    for (const enum pass_name *name = order_of(lowering); *name != END; name++)
        if (is_selected(lowering, &passes[*name], part))
            last = add_pass(lowering, &passes[*name]);
    test->must_keep = must_keep || !is_last;
    /* No later pass syncs files of -w that the last one has written and closed. */
    if (is_last && must_keep && weir_verb_writes(last->verb) && !lowering->config->flushes)
        last->transfers.must_sync_after = true;
    if (must_keep)
        return;
    weir_plan_add_phase(lowering->base.plan, test, &test->steps, &removal);
    add_word(lowering, "-");
}
