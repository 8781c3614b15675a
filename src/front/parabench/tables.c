/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of Parabench's options, of what we add to them, and words of other programs. */
#include "options.h"

#define AT(member) WEIR_OPTION_AT(struct weir_parabench_config, member)
#define SINCE .since = WEIR_PARABENCH_RELEASE

static const struct weir_option rows[] = {
    {'e', "export", WEIR_OPTION_FLAG, AT(exports), .help = "write the times to results.xml as well",
     SINCE, .better = "sorted, names are escaped, and the date is that of the host"},
    {'s', "silent", WEIR_OPTION_FLAG, AT(is_silent),
     .help = "write the times to results.xml, and print no report but the run-time summary", SINCE},
    {'c', "clean", WEIR_OPTION_FLAG, AT(cleans),
     .help = "accepted: a program removes what it says and nothing else, as with the original",
     SINCE},
    {'d', "dry-run", WEIR_OPTION_FLAG, AT(is_dry),
     .help = "make no call on files; loops, prints, times and barriers are done; no results.xml",
     SINCE},
    {'a', "agile", WEIR_OPTION_FLAG, AT(is_agile), .help = "leave out every sleep", SINCE},
    {'w', "wait", WEIR_OPTION_FLAG, AT(waits),
     .help = "rank 0 waits for the signal SIGUSR1 before all begin", SINCE},
    {'g', "group", WEIR_OPTION_TEXT, AT(groups),
     .help = "ranks of a group as NAME:SIZE; once for each group", SINCE,
     .better = "a group without ranks is told, and one that is not defined refused",
     .is_list = true},
    {0},
};

const struct weir_option_set weir_parabench_option_set = {"Parabench", rows,
                                                          sizeof(struct weir_parabench_config)};

#define OURS(member) WEIR_OPTION_AT(struct weir_parabench_additions, member)

static const struct weir_option addition_rows[] = {
    {0, "backend", WEIR_OPTION_TEXT, OURS(backend), "POSIX", .help = "see weir backends"},
    {0, "on-error", WEIR_OPTION_TEXT, OURS(on_error), "continue",
     .help = "calls that fail: they are counted and the program goes on (continue), all ranks end "
             "at the first one (stop), or when one of them has so many (a number); the exit code "
             "is 1 in any case",
     .is_final = true},
    {0, "time-limit", WEIR_OPTION_TEXT, OURS(time_limit),
     .help = "end the program on all ranks after this time, such as 60s, 5min or 1.5h"},
    {0, "root", WEIR_OPTION_TEXT, OURS(roots),
     .help = "a directory that names of files may be in, once for each; without it, the current "
             "one, and those that values of parameters name",
     .is_list = true},
    {0, "anywhere", WEIR_OPTION_FLAG, OURS(is_anywhere),
     .help = "names of files may be in any directory"},
    {0, "seed", WEIR_OPTION_TEXT, OURS(seed),
     .help = "of $$rand and $$crand: the same numbers in each run"},
    {0, "verify", WEIR_OPTION_FLAG, OURS(must_verify),
     .help = "what is written proves its place, and what is read is compared with it"},
    {0, "think", WEIR_OPTION_TEXT, OURS(think),
     .help = "pause behind each call, in seconds, such as 0.01"},
    {0, "events", WEIR_OPTION_INTEGER, OURS(event_limit), "-1", .least = -1, .most = 1 << 30,
     .help = "single events of all ranks together that are kept for the lists of the report; 0: "
             "none; -1: 100000 with -e, -s or --summaryFormat JSON, else 2000. Figures of labels "
             "are of all events"},
    WEIR_SUMMARY_ROWS(OURS(summary_path), OURS(summary_format)),
};

const struct weir_option_set weir_parabench_addition_set = {
    "Weir for Parabench", addition_rows, sizeof(struct weir_parabench_additions)};

static const struct weir_option order_rows[] = {
    {'h', "help", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, help),
     .help = "print this, and stop", SINCE, .better = "ends MPI in order"},
    {'v', "version", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, version),
     .help = "print the version, and stop", SINCE,
     .better = "that of weir, and of the formats that it prints"},
    {0, "explain", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, explain),
     .help = "check the program, print what would be done, and stop"},
    {0},
};

const struct weir_option_set weir_parabench_order_set = {"in place of a run", order_rows,
                                                         sizeof(struct weir_orders)};

const struct weir_foreign_word weir_parabench_foreign_words[] = {
    {"api|b", "--backend NAME"},
    {"f", "-s (write results.xml and print no report)"},
    {"np|n|nprocs|ntasks|numjobs|jobs|threads|procs|processes|tasks|ranks",
     "mpiexec -n NUMBER weir parabench ...: the launcher starts the ranks"},
    {"D|param|define|set", "NAME=VALUE behind the program (a word that stands alone)"},
    {"dry|dryRun|n|check", "-d (make no calls), or --explain (only check and print the program)"},
    {"xml|results", "-e (write results.xml)"},
    {"json", "--summaryFormat JSON"},
    {"csv", "--summaryFormat CSV"},
    {"quiet|q", "-s (write results.xml and print no report)"},
    {"timeout|runtime|duration|max-time", "--time-limit TIME, or repeat 60s in the program"},
    {"dir|directory|o|path|prefix", "--root DIRECTORY, or a parameter of the program"},
    {0},
};
