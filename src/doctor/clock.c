/* SPDX-License-Identifier: Apache-2.0 */
/* The clock sources of the kernel and of Weir. */
#include "kernel_files.h"
#include "subjects.h"

#include "weir/base/clock.h"

#include <inttypes.h>
#include <string.h>

#define SOURCES "/sys/devices/system/clocksource/clocksource0/"

/* Some looks cost more than a transfer from the page cache would want. */
enum { LOOKS = 10000, LOOK_NS_MAX = 200 };

/* Of those that take no system call to read, and no slow device. */
static bool is_fast(const char *source)
{
    static const char *const fast[] = {
        "tsc", "kvm-clock",        "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase",
        "tod", "riscv_clocksource"};

    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
        if (strcmp(source, fast[i]) == 0)
            return true;
    return false;
}

/* Nanoseconds that one look at weir's clock takes; the least of some, as others may run. */
static uint64_t measure_look(const struct weir_clock *clock)
{
    uint64_t least = UINT64_MAX;

    for (unsigned round = 0; round < 5; round++) {
        uint64_t start = weir_clock_ns(clock);
        uint64_t elapsed;

        for (unsigned i = 0; i < LOOKS - 1; i++)
            weir_clock_ns(clock);
        elapsed = weir_clock_ns(clock) - start;
        if (elapsed < least)
            least = elapsed;
    }
    return least / LOOKS;
}

static bool is_listed(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (words = strstr(words, word); words != NULL; words = strstr(words + 1, word))
        if (words[length] == ' ' || words[length] == '\0')
            return true;
    return false;
}

static void tell_source(const struct weir_examination *examination, const char *source)
{
    struct weir_diagnosis *diagnosis = examination->diagnosis;
    char others[256] = "";

    if (is_fast(source)) {
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "clock source", NULL, "%s", source);
        return;
    }
    weir_kernel_line(examination->root, SOURCES "available_clocksource", others, sizeof others);
    weir_diagnosis_add(
        diagnosis, WEIR_LIMITED, "clock source", NULL,
        "%s: a look at the clock takes a system call and a slow device; there are: %s", source,
        others);
    if (is_listed(others, "tsc"))
        weir_diagnosis_help(diagnosis, "as root: echo tsc > " SOURCES "current_clocksource");
    else
        weir_diagnosis_help(diagnosis, "dmesg | grep -i -e tsc -e clocksource says why tsc is not "
                                       "used: firmware and hypervisor have settings for it");
}

static void tell_own_clock(struct weir_diagnosis *diagnosis)
{
    struct weir_clock clock;
    uint64_t look_ns;

    weir_clock_calibrate(&clock, true);
    look_ns = measure_look(&clock);
    weir_diagnosis_add(diagnosis, look_ns <= LOOK_NS_MAX ? WEIR_GOOD : WEIR_LIMITED, "weir's clock",
                       NULL, "%s; a look at it takes %" PRIu64 " ns%s", weir_clock_name(&clock),
                       look_ns,
                       look_ns <= LOOK_NS_MAX ? "" : ", and each transfer takes one or two");
    if (look_ns > LOOK_NS_MAX)
        weir_diagnosis_help(diagnosis, "have the kernel's clock source be tsc, and a hypervisor "
                                       "pass it through (QEMU: -cpu host,+invtsc)");
}

void weir_examine_clock(const struct weir_examination *examination)
{
    char source[64];

    if (weir_kernel_line(examination->root, SOURCES "current_clocksource", source, sizeof source))
        tell_source(examination, source);
    else
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "clock source", NULL,
                           "the kernel does not tell (" SOURCES "current_clocksource)");
    tell_own_clock(examination->diagnosis);
}
