/* SPDX-License-Identifier: Apache-2.0 */
/* A record is walked twice: its names are collected from the keys that hold them, then replaced
 * there and in every sentence, command line and setting. */
#include "weir/report/redact.h"

#include "weir/base/arena.h"
#include "weir/base/text.h"
#include "weir/measure/places.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS_MAX 65536 /* more in one list are taken for damage */
#define KEY_BYTES_MIN 16
#define KEY_BYTES_MAX 4096
/* Words end at these. A colon is no separator: an address of IPv6 has some. */
#define SEPARATORS " \t\r\n\"'`,;()<>|={}$&"

enum kind { HOST, HOSTS, PATH, TARGET, JOB, CLUSTER, USER, TEXT, COMMAND, KEPT, KIND_COUNT };
static const char *const kind_names[KIND_COUNT] = {"host", "host",    "path", "target",
                                                   "job",  "cluster", "user"};

struct weir_redaction {
    char key[KEY_BYTES_MAX];
    size_t key_bytes;        /* 0 = numbers */
    json_t *names[TEXT];     /* by kind: name to pseudonym */
    json_t *words;           /* names that are replaced as words of sentences, too */
    json_t *phrases;         /* names with separators in them */
    struct weir_arena hosts; /* of the list that is being folded */
};

/* ---- keys ---- */

/* What strings below a key are. Those of the last row are names of a fixed set with blanks in them,
 * which the reader of the record needs. */
static const struct {
    enum kind kind;
    const char *keys; /* separated by commas */
} rules[] = {
    {HOST, "host,address"},
    {HOSTS, "hosts"},
    {PATH, "path,paths,roots,existing_path,mount_point,source,result_path,summary_path"},
    {TARGET, "peer"},
    {COMMAND, "command_line,argv,script"},
    {TEXT, "splash,text,failure,label,options,remarks,value"},
    {KEPT, "believed,state,cpu_model,distribution,launcher"},
};

/* Names of options say by a part what they hold. */
static enum kind kind_of_option(const char *name)
{
    static const char *const paths[] = {"file", "path", "dir",  "result", "output",
                                        "root", "csv",  "info", "secret", "advert"};

    if (strcasestr(name, "host") != NULL)
        return HOSTS;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcasestr(name, paths[i]) != NULL)
            return PATH;
    return strcmp(name, "if") == 0 || strcmp(name, "of") == 0 ? PATH : TEXT;
}

static enum kind kind_of(const char *parent, const char *key, const char *value)
{
    bool is_count = value[strspn(value, "-0123456789")] == '\0';

    if (strcmp(parent, "job") == 0 && strstr(key, " job") != NULL)
        return JOB;
    if (strcmp(parent, "job") == 0 && strcmp(key, "launcher") != 0)
        return is_count                         ? KEPT
               : strstr(key, "nodes") != NULL   ? HOSTS
               : strstr(key, "cluster") != NULL ? CLUSTER
                                                : TEXT;
    if (weir_text_list_has("settings,options,defaults", parent))
        return is_count ? KEPT : kind_of_option(key);
    if (strcmp(parent, "host") == 0 && strcmp(key, "node") == 0)
        return HOST;
    if (strcmp(parent, "tags") == 0)
        return TEXT;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (weir_text_list_has(rules[i].keys, key))
            return rules[i].kind;
    /* A single word may be one of a fixed set: a directory may have its name. */
    return strpbrk(value, " /") != NULL ? TEXT : KEPT;
}

/* ---- pseudonyms ---- */

/* These are words of sentences that are not about files. */
static bool is_usual(const char *word)
{
    return weir_text_list_has("home,users,scratch,data,file,files,test,tests,temp,work,read,write,"
                              "create,stat,remove,storage,memory,cache,phase,rank,ranks,bytes",
                              word);
}

/* So are short ones, but for names of users and hosts. */
static bool is_common(const char *word)
{
    return (strlen(word) < 4 && strpbrk(word, "0123456789-_.") == NULL) || is_usual(word);
}

/* Names of hosts and users are the same in capitals. */
static void fold(enum kind kind, const char *name, char folded[PATH_MAX])
{
    snprintf(folded, PATH_MAX, "%s", name);
    for (char *at = folded; *at != '\0' && (kind == HOST || kind == USER); at++)
        *at = (char)tolower((unsigned char)*at);
}

static const char *find_name(const struct weir_redaction *redaction, enum kind kind,
                             const char *name)
{
    char folded[PATH_MAX];

    fold(kind, name, folded);
    return json_string_value(json_object_get(redaction->names[kind], folded));
}

/* The pseudonym of a word of a sentence. */
static const char *find_word(const struct weir_redaction *redaction, const char *word)
{
    const char *found = strlen(word) > 1 ? find_name(redaction, HOST, word) : NULL;

    if (found == NULL && strlen(word) > 1 && isalpha((unsigned char)word[0]) && !is_usual(word))
        found = find_name(redaction, USER, word);
    return found != NULL ? found : json_string_value(json_object_get(redaction->words, word));
}

/* The pseudonym of the longest host before a hyphen or a dot of the word, as in "login7-ib0" and
 * "login7.example.org"; *rest is set to what stays of the word: a domain does not. */
static const char *find_host_before(const struct weir_redaction *redaction, const char *word,
                                    struct weir_text *rest)
{
    char host[PATH_MAX];
    const char *found = NULL;

    for (size_t end = strlen(word); found == NULL && end-- > 2;) {
        if (word[end] != '-' && word[end] != '.')
            continue;
        snprintf(host, sizeof host, "%.*s", (int)end, word);
        found = find_name(redaction, HOST, host);
        if (found != NULL)
            weir_text_add(rest, "%.*s", (int)strcspn(word + end, "."), word + end);
    }
    return found;
}

/* The same for equal names of a kind. Names of hosts are cut at the domain. */
static const char *pseudonym_of(struct weir_redaction *redaction, enum kind kind, const char *typed)
{
    json_t *names = redaction->names[kind];
    const char *known = find_name(redaction, kind, typed);
    unsigned char sum[EVP_MAX_MD_SIZE] = {0};
    char pseudonym[64], name[PATH_MAX];
    unsigned bytes;

    fold(kind, typed, name);
    if (known != NULL || name[0] == '\0')
        return known != NULL ? known : "";
    if (redaction->key_bytes > 0) {
        HMAC(EVP_sha256(), redaction->key, (int)redaction->key_bytes, (const unsigned char *)name,
             strlen(name), sum, &bytes);
        snprintf(pseudonym, sizeof pseudonym, "%s-%02x%02x%02x%02x%02x", kind_names[kind], sum[0],
                 sum[1], sum[2], sum[3], sum[4]);
    } else {
        snprintf(pseudonym, sizeof pseudonym, "%s-%zu", kind_names[kind],
                 json_object_size(names) + 1);
    }
    json_object_set_new_nocheck(names, name, json_string(pseudonym));
    return json_string_value(json_object_get(names, name));
}

static bool is_address(const char *word)
{
    unsigned char room[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, word, room) == 1 || inet_pton(AF_INET6, word, room) == 1;
}

static const char *host_of(struct weir_redaction *redaction, const char *name)
{
    char first[256];

    snprintf(first, sizeof first, "%s", name);
    if (!is_address(first))
        first[strcspn(first, ".")] = '\0';
    return pseudonym_of(redaction, HOST, first);
}

/* A network of Lustre stands behind '@', and the host before it. */
static bool is_network(const char *name)
{
    static const char *const kinds[] = {"tcp", "o2ib", "kfi", "gni", "ptlf"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i]);

        if (strncmp(name, kinds[i], length) == 0 &&
            name[length + strspn(name + length, "0123456789")] == '\0')
            return true;
    }
    return false;
}

/* Collects a path, and its parts as words: users by the directory that theirs is in. */
static const char *path_of(struct weir_redaction *redaction, const char *path)
{
    bool is_kept =
        strcmp(path, "/") == 0 || strcmp(path, "/dev/null") == 0 || strcmp(path, "/dev/zero") == 0;
    bool is_known = json_object_get(redaction->names[PATH], path) != NULL;
    const char *pseudonym = is_kept ? path : pseudonym_of(redaction, PATH, path);
    char part[PATH_MAX], last[PATH_MAX] = "";

    if (is_kept || is_known || path[0] == '\0')
        return pseudonym;
    if (strpbrk(path, SEPARATORS) != NULL)
        json_object_set_new_nocheck(redaction->phrases, path, json_string(pseudonym));
    for (const char *at = path; *at != '\0' && !weir_text_begins(path, "/dev/");) {
        snprintf(part, sizeof part, "%.*s", (int)strcspn(at, "/"), at);
        at += strlen(part) < strcspn(at, "/") ? strcspn(at, "/") : strlen(part);
        at += *at == '/';
        if (part[0] == '\0' || part[0] == '%')
            continue;
        if (strcmp(last, "home") == 0 || strcasecmp(last, "users") == 0)
            pseudonym_of(redaction, USER, part);
        else if (!is_common(part) && find_word(redaction, part) == NULL)
            json_object_set_new_nocheck(redaction->words, part,
                                        json_string(pseudonym_of(redaction, PATH, part)));
        memcpy(last, part, sizeof last);
    }
    return pseudonym;
}

/* ---- lists of hosts ---- */

/* Sets the names of "n[01-16,20],m"; returns 0 if that is no list. */
static unsigned expand_hosts(struct weir_redaction *redaction, const char *list, const char **names)
{
    unsigned count = 0;

    while (*list != '\0' && count < HOSTS_MAX) {
        const int stem = (int)strcspn(list, "[, ");
        const char *at = list + stem;

        if (*at != '[' && stem > 0)
            names[count++] = weir_arena_printf(&redaction->hosts, "%.*s", stem, list);
        while (*at == '[' || (*at == ',' && at > list + stem)) {
            char *end;
            const int width = (int)strspn(++at, "0123456789");
            unsigned long number = strtoul(at, &end, 10), last = number;

            if (*end == '-')
                last = strtoul(end + 1, &end, 10);
            if (width == 0 || width > 15)
                return 0;
            for (; number <= last && count < HOSTS_MAX; number++)
                names[count++] =
                    weir_arena_printf(&redaction->hosts, "%.*s%0*lu", stem, list, width, number);
            at = end;
        }
        list = at + (*at != '\0');
    }
    return count < HOSTS_MAX ? count : 0;
}

/* Appends a list in the place of this one; with `if_known`, only if its first host is known. */
static void add_hosts(struct weir_redaction *redaction, struct weir_text *text, const char *list,
                      bool if_known)
{
    const char **names = weir_arena_take(&redaction->hosts, HOSTS_MAX * sizeof *names);
    unsigned count = expand_hosts(redaction, list, names);

    if (count == 0)
        names[count++] = list;
    if (if_known && find_name(redaction, HOST, names[0]) == NULL)
        weir_text_add(text, "%s", list);
    else if (list[0] != '\0') {
        for (unsigned i = 0; i < count; i++)
            names[i] = host_of(redaction, names[i]);
        weir_text_add(text, "%s", weir_hosts_fold(&redaction->hosts, names, count, UINT_MAX));
    }
    weir_arena_clear(&redaction->hosts);
}

/* ---- sentences and command lines ---- */

static void add_word(struct weir_redaction *redaction, struct weir_text *text, const char *word,
                     enum kind kind)
{
    const char *known = find_word(redaction, word), *colon = strchr(word, ':');
    const char *at = strchr(word, '@'), *host = NULL;
    struct weir_text rest = {0};
    char first[PATH_MAX];

    snprintf(first, sizeof first, "%.*s", (int)strcspn(word, "/."), word);
    if (known == NULL && kind == COMMAND)
        known = json_string_value(json_object_get(redaction->names[PATH], word));
    if (known == NULL && strpbrk(word, ":/@") == NULL)
        host = find_host_before(redaction, word, &rest);
    if (known != NULL) {
        weir_text_add(text, "%s", known);
    } else if (host != NULL) {
        weir_text_add(text, "%s%s", host, weir_text_string(&rest));
    } else if (is_address(word)) {
        weir_text_add(text, "%s", host_of(redaction, word));
    } else if (((word[0] == '/' || (word[0] == '~' && word[1] == '/')) && strlen(word) > 2) ||
               weir_text_begins(word, "./") || weir_text_begins(word, "../")) {
        weir_text_add(text, "%s", path_of(redaction, word));
    } else if (colon != NULL) {
        for (; colon != NULL; word = colon + 1, colon = strchr(word, ':')) {
            snprintf(first, sizeof first, "%.*s", (int)(colon - word), word);
            add_word(redaction, text, first, kind);
            weir_text_add(text, ":");
        }
        add_word(redaction, text, word, kind);
    } else if (at != NULL && at > word && at[1] != '\0') {
        snprintf(first, sizeof first, "%.*s", (int)(at - word), word);
        weir_text_add(text, "%s@",
                      is_network(at + 1) ? host_of(redaction, first)
                                         : pseudonym_of(redaction, USER, first));
        weir_text_add(text, "%s", is_network(at + 1) ? at + 1 : host_of(redaction, at + 1));
    } else if (strchr(word, '[') != NULL) {
        add_hosts(redaction, text, word, true);
    } else {
        const char *dot = strchr(word, '.');
        bool is_file =
            kind == COMMAND && word[0] != '-' && !isdigit((unsigned char)word[0]) &&
            (strchr(word, '/') != NULL || (dot != NULL && isalpha((unsigned char)dot[1])));
        bool is_below =
            strchr(word, '/') != NULL && (find_word(redaction, first) != NULL ||
                                          find_host_before(redaction, first, &rest) != NULL);

        weir_text_add(text, "%s", is_file || is_below ? path_of(redaction, word) : word);
    }
    weir_text_close(&rest);
}

/* Replaces the names in a text word by word. `option` is the word before the text, if it is one of
 * a command line. */
static json_t *redact_text(struct weir_redaction *redaction, const char *string, enum kind kind,
                           const char *option)
{
    struct weir_text text = {0}, whole = {0};
    char word[PATH_MAX], name[PATH_MAX];
    const char *phrase;
    json_t *made;

    snprintf(name, sizeof name, "%s", option);
    weir_text_add(&whole, "%s", string);
    json_object_foreach(redaction->phrases, phrase, made)
    {
        for (char *at; (at = strstr(whole.data, phrase)) != NULL; weir_text_clear(&text)) {
            weir_text_add(&text, "%.*s%s%s", (int)(at - whole.data), whole.data,
                          json_string_value(made), at + strlen(phrase));
            weir_text_clear(&whole);
            weir_text_add(&whole, "%s", weir_text_string(&text));
        }
    }
    for (const char *at = weir_text_string(&whole); *at != '\0';) {
        size_t length = strcspn(at, SEPARATORS), kept = length;
        bool is_value = kind == COMMAND && name[0] == '-' && name[1] == '-' && *at != '-' &&
                        !isdigit((unsigned char)*at) && strcasestr(name, "format") == NULL;
        enum kind of_name = is_value ? kind_of_option(name) : TEXT;

        while (kept > 1 && strchr(".:!?", at[kept - 1]) != NULL)
            kept--;
        snprintf(word, sizeof word, "%.*s", (int)kept, at);
        if (length == 0)
            weir_text_add_bytes(&text, at++, 1);
        else if (of_name == HOSTS)
            weir_text_add(&text, "%s", host_of(redaction, word));
        else if (of_name == PATH)
            weir_text_add(&text, "%s", path_of(redaction, word));
        else
            add_word(redaction, &text, word, kind);
        if (length > 0) {
            weir_text_add_bytes(&text, at + kept, length - kept);
            memcpy(name, word, sizeof name);
        }
        at += length;
    }
    made = json_string_nocheck(weir_text_string(&text));
    weir_text_close(&whole);
    weir_text_close(&text);
    return made;
}

/* ---- records ---- */

/* The string in place of this one; NULL if it only collects, or the string stays. */
static json_t *redact_string(struct weir_redaction *redaction, enum kind kind, const char *string,
                             const char *before, bool replaces)
{
    struct weir_text text = {0};
    const char *end;
    json_t *made;

    if (kind == KEPT || string[0] == '\0')
        return NULL;
    if (kind == TEXT || kind == COMMAND) {
        made = redact_text(redaction, string, kind, before);
        if (!replaces)
            json_decref(made);
        return replaces ? made : NULL;
    }
    if (kind == PATH && string[0] == '[' && strstr(string, "]:/") != NULL) {
        weir_text_add(&text, "%.*s", (int)strcspn(string + 1, "]"), string + 1);
        host_of(redaction, weir_text_string(&text));
        weir_text_clear(&text);
    } else if (kind == PATH && string[0] != '/' && (end = strstr(string, ":/")) != NULL) {
        /* Hosts before the path of a mount: "server:/export", "10.0.0.1@tcp,m2@tcp:m3@tcp:/lfs". */
        for (const char *at = string; at < end; at += strcspn(at, ",:") + 1) {
            weir_text_add(&text, "%.*s", (int)strcspn(at, ",:@"), at);
            host_of(redaction, weir_text_string(&text));
            weir_text_clear(&text);
        }
    }
    if (kind == HOSTS) {
        add_hosts(redaction, &text, string, false);
    } else if (kind == HOST || kind == PATH) {
        weir_text_add(&text, "%s",
                      kind == HOST ? host_of(redaction, string) : path_of(redaction, string));
    } else {
        weir_text_add(&text, "%s", pseudonym_of(redaction, kind, string));
        if (kind != JOB && strlen(string) > 1 && !is_common(string))
            json_object_set_new_nocheck(redaction->words, string,
                                        json_string(weir_text_string(&text)));
    }
    made = replaces ? json_string_nocheck(weir_text_string(&text)) : NULL;
    weir_text_close(&text);
    return made;
}

/* Bytes that are no UTF-8 are recorded as {"hex": "..."}. */
static bool is_hex(const json_t *value)
{
    return json_object_size(value) == 1 && json_is_string(json_object_get(value, "hex"));
}

/* Returns what is put in the place of the value; NULL if it stays. */
static json_t *walk(struct weir_redaction *redaction, const char *parent, const char *key,
                    json_t *value, const char *before, bool replaces)
{
    const char *string = json_string_value(is_hex(value) ? json_object_get(value, "hex") : value);
    json_t *element, *made;
    const char *name;
    size_t i;
    void *next;

    if (is_hex(value))
        return replaces ? json_string_nocheck(pseudonym_of(redaction, PATH, string)) : NULL;
    if (string != NULL)
        return redact_string(redaction, kind_of(parent, key, string), string, before, replaces);
    json_object_foreach_safe(value, next, name, element)
    {
        made = walk(redaction, key, name, element, "", replaces);
        if (made != NULL)
            json_object_set_new_nocheck(value, name, made);
    }
    for (i = 0, before = ""; i < json_array_size(value); i++) {
        element = json_incref(json_array_get(value, i));
        made = walk(redaction, parent, key, element, before, replaces);
        if (made != NULL)
            json_array_set_new(value, i, made);
        before = json_string_value(json_array_get(value, i));
        before = before != NULL ? before : "";
        json_decref(element);
    }
    return NULL;
}

void weir_redaction_apply(struct weir_redaction *redaction, json_t *record)
{
    walk(redaction, "", "", record, "", false);
    walk(redaction, "", "", record, "", true);
}

const char *weir_redaction_path(struct weir_redaction *redaction, const char *path)
{
    return redaction != NULL ? path_of(redaction, path) : path;
}

int weir_redaction_open(const struct weir_redact_request *request,
                        struct weir_redaction **redaction, struct weir_error *error)
{
    struct weir_redaction *opened;
    int code = 0;

    *redaction = NULL;
    if (!request->redacts && request->key_path == NULL)
        return 0;
    opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        weir_error_out_of_memory();
    for (int kind = 0; kind < TEXT; kind++)
        opened->names[kind] = json_object();
    opened->words = json_object();
    opened->phrases = json_object();
    if (request->key_path != NULL) {
        FILE *file;

        errno = 0;
        file = fopen(request->key_path, "re");
        opened->key_bytes = file != NULL ? fread(opened->key, 1, sizeof opened->key, file) : 0;
        code = file == NULL || ferror(file) ? -(errno != 0 ? errno : ENOENT) : 0;
        if (file != NULL)
            fclose(file);
        if (code != 0)
            weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "--redact-key", "%s: %s",
                           request->key_path, strerror(-code));
        else if (opened->key_bytes < KEY_BYTES_MIN)
            code = weir_error_usage(error, "--redact-key",
                                    "%s has %zu bytes: give at least %d, such as those of head -c "
                                    "32 /dev/urandom",
                                    request->key_path, opened->key_bytes, KEY_BYTES_MIN);
    }
    if (code == 0)
        *redaction = opened;
    else
        weir_redaction_close(opened);
    return code;
}

void weir_redaction_close(struct weir_redaction *redaction)
{
    if (redaction == NULL)
        return;
    for (int kind = 0; kind < TEXT; kind++)
        json_decref(redaction->names[kind]);
    json_decref(redaction->words);
    json_decref(redaction->phrases);
    weir_arena_close(&redaction->hosts);
    explicit_bzero(redaction->key, sizeof redaction->key);
    free(redaction);
}
