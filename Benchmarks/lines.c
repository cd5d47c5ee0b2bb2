// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "lines.h"
#include "record.h"

#include <gio/gunixfdlist.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int fd;
    char *id;
    guint64 offset; // the bytes of text so far
    GString *unread;
} Line;

static Line open_line(GDBusConnection *bus, const char *service, const char *path) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GUnixFDList) descriptors = NULL;
    GVariantBuilder options = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE_VARDICT);
    Line line = {.unread = g_string_new(NULL)};
    gint index;
    g_autoptr(GVariant) reply = g_dbus_connection_call_with_unix_fd_list_sync(
        bus, service, path, "org.chappie.Client", "OpenTurn", g_variant_new("(a{sv})", &options),
        G_VARIANT_TYPE("(sh)"), G_DBUS_CALL_FLAGS_NONE, 20000, NULL, &descriptors, NULL, &error);
    if (!reply)
        die("OpenTurn: %s", error->message);
    g_variant_get(reply, "(sh)", &line.id, &index);
    line.fd = g_unix_fd_list_get(descriptors, index, &error);
    if (line.fd < 0)
        die("OpenTurn: %s", error->message);
    return line;
}

static void ask(const Line *line, const char *question) {
    g_autofree char *text = g_strdup_printf("{\"text\":\"%s\"}\n", question);
    if (write(line->fd, text, strlen(text)) != (ssize_t)strlen(text))
        die("turn %s: the question was not taken", line->id);
}

// The value of a member, up to its closing quote: the text of this benchmark
// needs no escapes.
static char *find(char *json, const char *member) {
    char *start = strstr(json, member);
    if (!start)
        return NULL;
    start += strlen(member);
    start[strcspn(start, "\"")] = '\0';
    return start;
}

// TRUE at the end of the turn.
static gboolean take_line(Line *line, char *json, guint64 arrived) {
    gboolean is_text = strstr(json, "\"event\":\"text-delta\"") != NULL;
    if (strstr(json, "\"event\":\"failed\""))
        die("turn %s: %s", line->id, json);
    if (is_text) {
        const char *text = find(json, "\"text\":\"");
        if (!text)
            die("turn %s: no text", line->id);
        record_text(line->id, line->offset, text, arrived);
        line->offset += strlen(text);
        return FALSE;
    }
    if (!strstr(json, "\"event\":\"completed\""))
        return FALSE;
    record_completed(line->id);
    return TRUE;
}

// Reads what is there; TRUE at the end of the turn.
static gboolean read_line(Line *line, guint64 (*clock)(void)) {
    static char bytes[64 * 1024];
    ssize_t length = read(line->fd, bytes, sizeof bytes);
    guint64 arrived = clock();
    gboolean ended = FALSE;
    if (length <= 0)
        die("turn %s: the line ended early", line->id);
    g_string_append_len(line->unread, bytes, length);
    char *start = line->unread->str, *end = start + line->unread->len;
    for (char *newline; !ended && (newline = memchr(start, '\n', (gsize)(end - start))); start = newline + 1) {
        *newline = '\0';
        ended = take_line(line, start, arrived);
    }
    g_string_erase(line->unread, 0, start - line->unread->str);
    return ended;
}

static void close_line(Line *line) {
    close(line->fd);
    g_free(line->id);
    g_string_free(line->unread, TRUE);
}

void lines_run(GDBusConnection *bus, const char *service, const char *path, guint turns, const char *question,
               guint64 (*clock)(void)) {
    g_autofree Line *lines = g_new(Line, turns);
    g_autofree struct pollfd *waiting = g_new(struct pollfd, turns);
    for (guint i = 0; i < turns; i++) {
        lines[i] = open_line(bus, service, path);
        waiting[i] = (struct pollfd){.fd = lines[i].fd, .events = POLLIN};
    }
    for (guint i = 0; i < turns; i++)
        ask(&lines[i], question);
    for (guint running = turns; running > 0;) {
        if (poll(waiting, turns, 60000) <= 0)
            die("a minute without a line");
        for (guint i = 0; i < turns; i++)
            if (waiting[i].revents && read_line(&lines[i], clock)) {
                close_line(&lines[i]);
                waiting[i].fd = -1;
                running--;
            }
    }
}
