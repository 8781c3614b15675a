/* SPDX-License-Identifier: Apache-2.0 */
/* How the outputs of IOR begin, of any release: such a file may be replaced by another output. */
#include "signature.h"

#include "weir/base/text.h"

#include <stddef.h>
#include <string.h>

static const char *past_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* "IOR-3.2.1: MPI Coordinated Test of Parallel I/O" */
static bool is_banner(const char *line)
{
    static const char title[] = ": MPI Coordinated Test of Parallel I/O\n";
    const char *end;

    if (!weir_text_begins(line, "IOR-"))
        return false;
    line += strlen("IOR-");
    end = strchr(line, ':');
    return *line >= '0' && *line <= '9' && end != NULL && weir_text_begins(end, title);
}

/* IOR's banner, behind what releases print before it. */
bool weir_ior_holds_text(const char *line)
{
    while (line != NULL && !is_banner(line)) {
        if (*line != '\n' && !weir_text_begins(line, "Fake ") &&
            !weir_text_begins(line, "WARNING: "))
            return false;
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return line != NULL;
}

/* The value of `key`, if that comes next: behind its opening quote. */
static const char *value_of(const char *json, const char *key)
{
    json = past_blanks(json);
    if (!weir_text_begins(json, key))
        return NULL;
    json = past_blanks(json + strlen(key));
    return weir_text_begins(json, "\"") ? json + 1 : NULL;
}

/* The first keys of all releases that have JSON: "Version" and "Began". */
bool weir_ior_holds_json(const char *json)
{
    const char *version = *json == '{' ? value_of(json + 1, "\"Version\":") : NULL;
    const char *end = version != NULL ? strchr(version, '"') : NULL;

    if (end == NULL)
        return false;
    end = past_blanks(end + 1);
    return *end == ',' && value_of(end + 1, "\"Began\":") != NULL;
}
