/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as lines: a note is one line for all repetitions and phases that it is alike in, and a
 * warning one for each, but for those of how ranks are placed and of clocks. */
#include "tables.h"

#include <string.h>

struct weir_trust_fold {
    struct weir_trust_fold *next;
    const struct weir_finding *finding;     /* the first of them, which has the line, ... */
    const struct weir_phase_result *record; /* ... in this one: later ones may share its list */
    unsigned test;
    unsigned repetitions; /* in each phase */
    unsigned phase_count;
    bool
        has_others; /* others have other numbers, or the repetitions that have them were not kept */
    struct weir_text phases;        /* their names, runs of the same one with a count */
    const struct weir_phase *phase; /* the latest, ... */
    unsigned run;                   /* ... and how many before it are of its name */
};

static const struct weir_finding *find_like(const struct weir_phase_result *phase,
                                            const struct weir_finding *like)
{
    for (unsigned i = 0; i < phase->finding_count; i++)
        if (strcmp(phase->findings[i].name, like->name) == 0 &&
            phase->findings[i].effect == like->effect)
            return &phase->findings[i];
    return NULL;
}

/* Whether two findings state other facts. Remedies behind the arrow may be spelt in one of them
 * alone: that of a repetition which an earlier run has recorded. */
static bool has_other_fact(const struct weir_finding *one, const struct weir_finding *other)
{
    const char *arrow = strstr(one->text, " -> ");
    size_t length = arrow != NULL ? (size_t)(arrow - one->text) : strlen(one->text) + 1;

    return strncmp(one->text, other->text, length) != 0;
}

/* How many repetitions have a finding of this name and effect; 0 if one before `position` has
 * printed it. Sets *has_others if a text differs, or was not kept. */
static unsigned count_alike(const struct weir_repetitions *all, unsigned position,
                            const struct weir_finding *like, bool *has_others)
{
    unsigned count = 0;

    *has_others = false;
    for (unsigned i = 0; i < all->count; i++) {
        const struct weir_finding *finding = find_like(all->members[i], like);

        if (finding == NULL)
            continue;
        if (i < position)
            return 0;
        *has_others |= has_other_fact(finding, like);
        count++;
    }
    for (unsigned i = 0; all->history != NULL && i < all->history->note_count; i++)
        if (strcmp(all->history->notes[i].name, like->name) == 0) {
            *has_others |= strpbrk(like->text, "0123456789") != NULL;
            count += all->history->notes[i].count;
        }
    return count;
}

/* True of all tests of a run: one line is enough. */
static bool is_of_launch(const struct weir_finding *finding)
{
    return strcmp(finding->name, "launcher-mismatch") == 0 ||
           strcmp(finding->name, "fits-server-memory") == 0;
}

/* Warnings of what hardly differs from phase to phase: where ranks and their files are, how good
 * clocks are, and what else the nodes do. */
static bool is_folded(const struct weir_finding *finding)
{
    static const enum weir_finding_kind kinds[] = {
        WEIR_FINDING_OVERSUBSCRIBED, WEIR_FINDING_SHARED_CORE,     WEIR_FINDING_CLOCK_ERROR,
        WEIR_FINDING_SAME_FILE,      WEIR_FINDING_STORAGE_DIFFERS, WEIR_FINDING_CPU_PRESSURE,
        WEIR_FINDING_DEGRADED,       WEIR_FINDING_CLOCK_DRIFT,
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(finding->name, weir_finding_rows[kinds[i]].name) == 0)
            return true;
    return finding->severity == WEIR_NOTE || is_of_launch(finding);
}

/* Of the same words; numbers may differ. */
static bool is_alike(const struct weir_finding *one, const struct weir_finding *other)
{
    const char *a = one->text, *b = other->text;

    if (one->severity != other->severity || one->effect != other->effect ||
        strcmp(one->name, other->name) != 0)
        return false;
    /* Another rank may have waited longest, beside another process. */
    if (strcmp(one->name, weir_finding_rows[WEIR_FINDING_CPU_PRESSURE].name) == 0)
        return true;
    for (;; a++, b++) {
        a += strspn(a, "0123456789.");
        b += strspn(b, "0123456789.");
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

/* ---- over phases ---- */

static void end_run(struct weir_trust_fold *fold)
{
    if (fold->run == 0)
        return;
    weir_text_add(&fold->phases, "%s", fold->phases.length > 0 ? ", " : "");
    weir_trust_add_phase(&fold->phases, fold->phase);
    if (fold->run > 1)
        weir_text_add(&fold->phases, " %u times", fold->run);
    fold->run = 0;
}

static bool has_name_of(const struct weir_phase *one, const struct weir_phase *other)
{
    return one->verb == other->verb && one->is_check == other->is_check &&
           one->is_prefill == other->is_prefill &&
           (one->names.item == NULL) == (other->names.item == NULL) &&
           one->names.is_directory == other->names.is_directory;
}

static struct weir_trust_fold *find(struct weir_trust_fold *folds, unsigned test,
                                    unsigned repetitions, const struct weir_finding *finding)
{
    while (folds != NULL &&
           (!is_alike(folds->finding, finding) ||
            (!is_of_launch(finding) && (folds->test != test || folds->repetitions != repetitions))))
        folds = folds->next;
    return folds;
}

/* A finding that another one explains is shown with -v alone. */
static bool is_hidden(const struct weir_trust_view *view, const struct weir_finding *finding)
{
    return finding->explained_by != NULL && view->plan->output.verbosity == 0;
}

static void fold_phase(struct weir_trust_fold **folds, struct weir_arena *arena,
                       const struct weir_trust_view *view, const struct weir_repetitions *all,
                       unsigned position)
{
    const struct weir_phase_result *phase = all->members[position];

    for (unsigned i = 0; i < phase->finding_count; i++) {
        const struct weir_finding *finding = &phase->findings[i];
        bool has_others;
        unsigned repetitions = count_alike(all, position, finding, &has_others);
        struct weir_trust_fold *fold = find(*folds, all->test, repetitions, finding);

        if (!is_folded(finding) || repetitions == 0 || is_hidden(view, finding))
            continue;
        if (fold == NULL) {
            fold = weir_arena_take(arena, sizeof *fold);
            *fold = (struct weir_trust_fold){.next = *folds,
                                             .finding = finding,
                                             .record = phase,
                                             .test = all->test,
                                             .repetitions = repetitions};
            *folds = fold;
        }
        fold->has_others |= has_others || has_other_fact(finding, fold->finding);
        if (fold->run > 0 && !has_name_of(fold->phase, all->phase))
            end_run(fold);
        fold->phase = all->phase;
        fold->run++;
        fold->phase_count++;
    }
}

struct weir_trust_fold *weir_trust_fold(const struct weir_trust_view *view,
                                        struct weir_arena *arena)
{
    struct weir_trust_fold *folds = NULL;

    for (unsigned i = 0; i < view->phase_count; i++)
        for (unsigned k = 0; k < view->phases[i].count; k++)
            fold_phase(&folds, arena, view, &view->phases[i], k);
    for (struct weir_trust_fold *fold = folds; fold != NULL; fold = fold->next)
        end_run(fold);
    return folds;
}

void weir_trust_fold_close(struct weir_trust_fold *folds)
{
    for (; folds != NULL; folds = folds->next)
        weir_text_close(&folds->phases);
}

/* ---- lines ---- */

/* Longer lists of phases give their number only. */
#define PHASES_BYTES 40

/* Adds the phases of a finding: "write", "write 2", "test 1 write", "write, read", "12 phases". */
static void add_where(struct weir_text *text, const struct weir_trust_view *view,
                      const struct weir_repetitions *all, const struct weir_phase_result *phase,
                      const struct weir_trust_fold *fold)
{
    if (fold != NULL && is_of_launch(fold->finding)) {
        weir_text_add(text, "all phases");
        return;
    }
    if (view->plan->test_count > 1)
        weir_text_add(text, "test %u ", all->test);
    if (fold != NULL && fold->phase_count > 1) {
        if (fold->phases.length > PHASES_BYTES)
            weir_text_add(text, "%u phases", fold->phase_count);
        else
            weir_text_add(text, "%s", weir_text_string(&fold->phases));
    } else {
        weir_trust_add_phase(text, all->phase);
        if (view->plan->tests[all->test]->repetitions > 1 &&
            (fold == NULL || fold->repetitions < 2))
            weir_text_add(text, " %u", phase->repetition);
    }
}

static const struct weir_trust_fold *fold_of(const struct weir_phase_result *phase,
                                             const struct weir_finding *finding,
                                             const struct weir_trust_fold *folds)
{
    while (folds != NULL && (folds->finding != finding || folds->record != phase))
        folds = folds->next;
    return folds;
}

void weir_trust_fact(struct weir_trust_facts *facts, const struct weir_trust_view *view,
                     const struct weir_repetitions *all, const struct weir_phase_result *phase,
                     const struct weir_finding *finding, const struct weir_trust_fold *fold)
{
    struct weir_text where = {0}, more = {0};

    add_where(&where, view, all, phase, fold);
    if (fold != NULL && !is_of_launch(finding) && fold->has_others)
        weir_text_add(&more, " (first of %u)", fold->repetitions * fold->phase_count);
    else if (fold != NULL && fold->repetitions > 1 && !is_of_launch(finding))
        weir_text_add(&more, " (%u repetitions%s)", fold->repetitions,
                      fold->phase_count > 1 ? " each" : "");
    if (finding->explained_by != NULL)
        weir_text_add(&more, " (because of %s)", finding->explained_by);
    weir_trust_line(&facts->lines[weir_finding_weigh(finding)], "%s %s %s: %s%s",
                    weir_severity_names[finding->severity], finding->name, weir_text_string(&where),
                    finding->text, weir_text_string(&more));
    weir_text_close(&where);
    weir_text_close(&more);
}

void weir_trust_findings(struct weir_trust_facts *facts, const struct weir_trust_view *view,
                         const struct weir_repetitions *all, const struct weir_phase_result *phase,
                         const struct weir_trust_fold *folds)
{
    for (unsigned i = 0; i < phase->finding_count; i++) {
        const struct weir_finding *finding = &phase->findings[i];
        const struct weir_trust_fold *fold = fold_of(phase, finding, folds);

        if ((phase->failure[0] != '\0' && strcmp(finding->name, "failed") == 0) ||
            is_hidden(view, finding) || (is_folded(finding) && fold == NULL))
            continue;
        weir_trust_fact(facts, view, all, phase, finding, fold);
    }
}
