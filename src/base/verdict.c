/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of findings, and the verdict that follows from them. */
#include "weir/base/finding.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const weir_effect_names[3] = {
    [WEIR_INFORM] = "inform", [WEIR_QUALIFY] = "qualify", [WEIR_VOID] = "void"};

const char *const weir_severity_names[2] = {[WEIR_NOTE] = "note", [WEIR_WARNING] = "warning"};

const char *const weir_measure_names[3] = {[WEIR_MEASURE_STORAGE] = "storage",
                                           [WEIR_MEASURE_CACHE] = "cache",
                                           [WEIR_MEASURE_MEMORY] = "memory"};

const char *const weir_evidence_state_names[4] = {
    [WEIR_NOT_ASKED] = "",
    [WEIR_CANNOT_OBSERVE] = "cannot be observed here",
    [WEIR_NOT_SEEN] = "not seen",
    [WEIR_SEEN] = "seen",
};

const struct weir_evidence_row weir_evidence_rows[WEIR_EVIDENCE_COUNT] = {
    [WEIR_EVIDENCE_PAGE_CACHE] = {"page-cache", "data that were read from the page cache", true},
    [WEIR_EVIDENCE_SUPPLIED] = {"supplied", "data that no device or server supplied", true},
    [WEIR_EVIDENCE_STORED] = {"stored", "written data that were still in memory", true},
    [WEIR_EVIDENCE_SYNCED] = {"synced", "syncs without effect", true},
    [WEIR_EVIDENCE_NAMES] = {"names", "names that a cache answered", true},
    [WEIR_EVIDENCE_CPU] = {"cpu", "ranks that waited for a CPU", false},
};

const char *const weir_believed_names[WEIR_BELIEVED_COUNT] = {
    [WEIR_BELIEVED_OK] = "OK",
    [WEIR_BELIEVED_CAUTION] = "CAUTION",
    [WEIR_BELIEVED_UNVERIFIED] = "UNVERIFIED",
    [WEIR_BELIEVED_PARTIAL] = "PARTIAL",
    [WEIR_BELIEVED_DO_NOT_USE] = "DO NOT USE",
    [WEIR_BELIEVED_WRONG_DATA] = "WRONG DATA",
};

const struct weir_believed_page weir_believed_pages[WEIR_BELIEVED_COUNT] = {
    [WEIR_BELIEVED_WRONG_DATA] =
        {
            .meaning = "the storage returned or kept data that differ from the data written",
            .cause = "a check of the data found wrong bytes, or files hold less than a complete "
                     "write put into them",
            .action = "find the cause first: the report names file, offset, writer and kind of "
                      "wrong data",
        },
    [WEIR_BELIEVED_DO_NOT_USE] =
        {
            .meaning = "the figure is not that of the storage, but of a cache, of memory or of "
                       "work that was not done",
            .cause = "a finding of the phase has the effect void",
            .action = "repeat the run with the option that the finding names after ->, or with "
                      "--measure if the cache or memory was meant",
        },
    [WEIR_BELIEVED_PARTIAL] =
        {
            .meaning = "the figure is that of the part of the work that was done",
            .cause = "operations failed, or the phase was interrupted, ended early or skipped. A "
                     "run is PARTIAL also if it ended early between two phases",
            .action = "remove the cause, which the report names, and repeat the run",
        },
    [WEIR_BELIEVED_UNVERIFIED] =
        {
            .meaning = "no reading contradicts the figure, and none confirms that it is that of "
                       "the storage",
            .cause = "a decisive question about the phase, such as that of the page cache, cannot "
                     "be observed here",
            .action =
                "run weir doctor PATH, which lists these questions and how to answer them: as "
                "root, with a newer kernel, with --drop-caches",
        },
    [WEIR_BELIEVED_CAUTION] =
        {
            .meaning =
                "the figure is true, but not what its name suggests. \"CAUTION cache, as "
                "asked\" and \"CAUTION memory, as asked\": it is that of a cache or of memory",
            .cause = "a finding of the phase has the effect qualify. With \"as asked\": --measure "
                     "removed the effect void of a finding",
            .action = "report the figure together with the finding, or follow its remedy",
        },
    [WEIR_BELIEVED_OK] =
        {
            .meaning = "the figure is that of the storage, as far as readings can show",
            .cause = "every decisive question about the phase was answered, and no finding voids "
                     "or qualifies the figure, or --allow removed its effect",
            .action = "use the figure",
        },
};

enum weir_believed weir_believed_lookup(const char *typed)
{
    for (unsigned believed = 0; believed < WEIR_BELIEVED_COUNT; believed++) {
        const char *name = weir_believed_names[believed], *c = typed;

        while (*name != '\0' &&
               (toupper((unsigned char)*c) == *name || (*name == ' ' && (*c == '-' || *c == '_'))))
            name++, c++;
        if (*name == '\0' && (*c == '\0' || strcasecmp(c, " cache, as asked") == 0 ||
                              strcasecmp(c, " memory, as asked") == 0))
            return believed;
    }
    return WEIR_BELIEVED_COUNT;
}

enum weir_finding_kind weir_finding_lookup(const char *name)
{
    for (unsigned kind = 0; kind < WEIR_FINDING_COUNT; kind++) {
        const struct weir_finding_row *row = &weir_finding_rows[kind];

        if (strcmp(row->name, name) == 0)
            return kind;
        for (size_t i = 0; i < WEIR_FINDING_FORMER_MAX && row->former[i] != NULL; i++)
            if (strcmp(row->former[i], name) == 0)
                return kind;
    }
    return WEIR_FINDING_COUNT;
}

unsigned weir_finding_weigh(const struct weir_finding *finding)
{
    /* They make the verdict PARTIAL: what they say of the figure weighs more than a qualification.
     */
    static const char *const partial[] = {"failed", "flow-errors", "interrupted", "partial",
                                          "skipped"};
    unsigned class = finding->effect == WEIR_VOID ? 1 : finding->effect == WEIR_QUALIFY ? 3 : 4;

    if (strcmp(finding->name, "wrong-data") == 0)
        class = 0;
    for (size_t i = 0; i < sizeof partial / sizeof *partial && class == 3; i++)
        if (strcmp(finding->name, partial[i]) == 0)
            class = 2;
    return 2 * class + (finding->severity == WEIR_NOTE);
}

const struct weir_finding *weir_finding_next(const struct weir_finding *findings, unsigned count,
                                             const struct weir_finding *last)
{
    unsigned weight = last == NULL ? 0 : weir_finding_weigh(last);
    unsigned next = last == NULL ? 0 : (unsigned)(last - findings) + 1;

    for (; weight < WEIR_FINDING_WEIGHTS; weight++, next = 0)
        for (; next < count; next++)
            if (weir_finding_weigh(&findings[next]) == weight)
                return &findings[next];
    return NULL;
}

/* Lists grow at 4, 8, 16, ... findings. */
static bool is_full(unsigned count)
{
    return count == 0 || (count >= 4 && (count & (count - 1)) == 0);
}

void weir_finding_add(struct weir_arena *arena, struct weir_finding **findings, unsigned *count,
                      enum weir_finding_kind kind, enum weir_severity severity,
                      enum weir_effect effect, const char *format, va_list arguments)
{
    char text[WEIR_FINDING_TEXT_BYTES];

    assert(kind < WEIR_FINDING_COUNT);
    vsnprintf(text, sizeof text, format, arguments);
    if (is_full(*count)) {
        unsigned capacity = *count == 0 ? 4 : 2 * *count;
        struct weir_finding *list = weir_arena_take(arena, capacity * sizeof *list);

        if (*count > 0)
            memcpy(list, *findings, *count * sizeof *list);
        *findings = list;
    }
    (*findings)[(*count)++] = (struct weir_finding){
        .severity = severity,
        .effect = effect,
        .name = weir_finding_rows[kind].name,
        .text = weir_arena_copy(arena, text),
    };
}

/* Is the kind one of the names in a list with commas? */
static bool is_listed(const char *list, enum weir_finding_kind kind)
{
    while (list != NULL && *list != '\0') {
        char name[64];
        size_t length = strcspn(list, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (weir_finding_lookup(name) == kind)
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

enum weir_measure weir_findings_allow(struct weir_finding *findings, unsigned count,
                                      const char *allowed, enum weir_measure measure)
{
    enum weir_measure removed = WEIR_MEASURE_STORAGE;

    for (unsigned i = 0; i < count; i++) {
        enum weir_finding_kind kind = weir_finding_lookup(findings[i].name);
        bool is_measured = kind < WEIR_FINDING_COUNT && measure != WEIR_MEASURE_STORAGE &&
                           weir_finding_rows[kind].measures == measure;

        if (findings[i].effect == WEIR_INFORM || (!is_measured && !is_listed(allowed, kind)))
            continue;
        findings[i].effect = WEIR_INFORM;
        findings[i].is_allowed = true;
        if (is_measured)
            removed = measure;
    }
    return removed;
}

enum weir_believed weir_believe(const struct weir_verdict_facts *facts)
{
    enum weir_effect worst = WEIR_INFORM;

    for (unsigned i = 0; i < facts->finding_count; i++)
        if (facts->findings[i].effect > worst)
            worst = facts->findings[i].effect;
    if (facts->has_wrong_data)
        return WEIR_BELIEVED_WRONG_DATA;
    if (worst == WEIR_VOID)
        return WEIR_BELIEVED_DO_NOT_USE;
    if (facts->is_partial)
        return WEIR_BELIEVED_PARTIAL;
    if (facts->lacks_evidence && !facts->is_as_asked)
        return WEIR_BELIEVED_UNVERIFIED;
    return worst == WEIR_QUALIFY || facts->is_as_asked ? WEIR_BELIEVED_CAUTION : WEIR_BELIEVED_OK;
}
