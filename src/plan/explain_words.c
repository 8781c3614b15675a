/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities and clauses that lines of several kinds of phases have in common. */
#include "explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

const char *const weir_ior_pattern_names[WEIR_IOR_PATTERN_COUNT] = {
    [WEIR_IOR_TIMESTAMP] = "timestamp",
    [WEIR_IOR_OFFSET] = "offset",
    [WEIR_IOR_INCOMPRESSIBLE] = "incompressible",
    [WEIR_IOR_RANDOM] = "random",
};

/* ---- quantities ---- */

struct weir_words weir_words_size(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    struct weir_words words;

    while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    snprintf(words.text, sizeof words.text, "%" PRIu64 " %s", bytes,
             bytes == 1 && unit == 0 ? "byte" : units[unit]);
    return words;
}

struct weir_words weir_words_duration(uint64_t ns)
{
    uint64_t fraction = ns % NS_PER_S;
    int digits = 9;
    struct weir_words words;

    while (fraction > 0 && fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    if (fraction > 0)
        snprintf(words.text, sizeof words.text, "%" PRIu64 ".%0*" PRIu64 " s", ns / NS_PER_S,
                 digits, fraction);
    else
        snprintf(words.text, sizeof words.text, "%" PRIu64 " s", ns / NS_PER_S);
    return words;
}

struct weir_words weir_words_count(uint64_t count, const char *noun)
{
    struct weir_words words;

    snprintf(words.text, sizeof words.text, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
    return words;
}

void weir_explain_if(struct weir_text *text, bool is_true, const char *clause)
{
    if (is_true)
        weir_text_add(text, "; %s", clause);
}

/* ---- clauses ---- */

void weir_explain_shift(struct weir_text *text, const char *whose, const struct weir_shift *shift)
{
    const struct weir_words nodes = weir_words_count(shift->distance, "node");

    if (shift->kind == WEIR_SHIFT_NODES)
        weir_text_add(text, "; %s the rank %s further", whose, nodes.text);
    if (shift->kind == WEIR_SHIFT_NODES_OR_RANKS)
        weir_text_add(text, "; %s the rank %s further, or %s on a single node", whose, nodes.text,
                      weir_words_count(shift->distance, "rank").text);
    if (shift->kind == WEIR_SHIFT_RANDOM)
        weir_text_add(text, "; %s a random rank at least %s away", whose, nodes.text);
    if (shift->kind == WEIR_SHIFT_PERMUTATION)
        weir_text_add(text, "; %s any random rank", whose);
    if (shift->kind == WEIR_SHIFT_RANDOM || shift->kind == WEIR_SHIFT_PERMUTATION)
        weir_text_add(text, ", with seed %" PRIu64 "%s", shift->seed,
                      shift->varies ? " and the repetition" : "");
}

void weir_explain_payload(struct weir_text *text, const struct weir_payload *payload)
{
    weir_explain_if(text, payload->mode == WEIR_PAYLOAD_FULL, "every word of data differs");
    weir_explain_if(text, payload->mode == WEIR_PAYLOAD_NONE, "data without content");
    if (payload->mode == WEIR_PAYLOAD_IOR)
        weir_text_add(text, "; bytes of IOR's pattern %s",
                      weir_ior_pattern_names[payload->pattern]);
    if (payload->seed_is_given)
        weir_text_add(text, "; data seed %" PRIu32, payload->seed);
}

void weir_explain_stop(struct weir_text *text, const struct weir_stop *stop, const char *noun,
                       bool is_status_read)
{
    if (stop->deadline_ns > 0)
        weir_text_add(text, "; stop after %s%s", weir_words_duration(stop->deadline_ns).text,
                      stop->has_wear_out ? ", when all have done as much as the furthest" : "");
    if (stop->ends_with_first)
        weir_text_add(text, "; stop when the first rank is done%s",
                      stop->has_wear_out ? ", and do the rest uncounted" : "");
    if (stop->op_limit > 0)
        weir_text_add(text, "; at most %s per rank", weir_words_count(stop->op_limit, noun).text);
    if (stop->minimum_ns > 0)
        weir_text_add(text, "; again until %s are over",
                      weir_words_duration(stop->minimum_ns).text);
    if (stop->status_path)
        weir_text_add(text, "; furthest count %s %s%s", is_status_read ? "from" : "to",
                      stop->status_path, stop->is_second_count ? ", the second one" : "");
}

/* "20000", "0.1": as few digits as make the same number again. */
static struct weir_words number_of(double number)
{
    struct weir_words words;
    int precision = 15;

    do
        snprintf(words.text, sizeof words.text, "%.*g", precision++, number);
    while (precision <= 17 && strtod(words.text, NULL) != number);
    return words;
}

/* "at 200 MiB per second of each rank, constant" */
void weir_explain_rate(struct weir_text *text, const struct weir_rate *rate, const char *noun)
{
    if (rate->arrivals == WEIR_ARRIVALS_CLOSED)
        return;
    if (rate->is_in_bytes && rate->per_s < 0x1p53 && rate->per_s == (double)(uint64_t)rate->per_s)
        weir_text_add(text, "; at %s", weir_words_size((uint64_t)rate->per_s).text);
    else
        weir_text_add(text, "; at %s %ss", number_of(rate->per_s).text,
                      rate->is_in_bytes ? "byte" : noun);
    weir_text_add(text, " per second of %s, %s", rate->is_per_rank ? "each rank" : "the job",
                  rate->arrivals == WEIR_ARRIVALS_POISSON ? "Poisson" : "constant");
}

void weir_explain_depth(struct weir_text *text, const struct weir_test *test,
                        const struct weir_phase *phase)
{
    const struct weir_phase *tried =
        phase->must_find_depth ? weir_test_tried_phase(test, phase) : NULL;

    if (tried)
        weir_text_add(text, "; depth found%s%s, up to %u", tried == phase ? "" : " by ",
                      tried == phase ? "" : weir_verb_name(tried->verb), phase->depth);
    else if (phase->depth != 1)
        weir_text_add(text, "; depth %u", phase->depth);
    if (phase->transfers.batch > 1)
        weir_text_add(text, ", %u at once", phase->transfers.batch);
}
