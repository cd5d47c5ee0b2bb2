// SPDX-License-Identifier: Apache-2.0
// Finds the text with a string search and sends it with GDBus, or as lines.

#include "out.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct Out {
    GDBusConnection *bus; // NULL: the text leaves as lines
    char *caller;
    int line;
    char *id;
    GString *text; // the answer so far
    gsize sent;    // how much of it went out as signals
    gint64 interval;
    gint64 next; // the earliest time of the next signal
    GSource *timer;
    gboolean ended;
};

typedef struct {
    GSource source;
    Out *out;
} Timer;

static void emit(Out *out, const char *name, GVariant *arguments) {
    g_dbus_connection_emit_signal(out->bus, out->caller, OBJECT_PATH, CLIENT_INTERFACE, name,
                                  arguments, NULL);
}

// Writes one line; a caller that has left is not told. The text is JSON already.
static void write_line(Out *out, const char *format, const char *text) {
    g_autofree char *line = g_strdup_printf(format, text);
    gsize length = strlen(line);
    for (gsize done = 0; done < length;) {
        ssize_t n = send(out->line, line + done, length - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return;
        done += n > 0 ? (gsize)n : 0;
    }
}

static void emit_text(Out *out) {
    const char *text = out->text->str + out->sent;
    if (out->bus)
        emit(out, "TextDelta", g_variant_new("(sts)", out->id, (guint64)out->sent, text));
    else
        write_line(out, "{\"event\":\"text-delta\",\"text\":\"%s\"}\n", text);
    out->sent = out->text->len;
    out->next = g_get_monotonic_time() + out->interval;
}

static void emit_rest(Out *out) {
    g_source_set_ready_time(out->timer, -1);
    if (out->sent < out->text->len)
        emit_text(out);
}

static void complete(Out *out) {
    emit_rest(out);
    if (out->bus)
        emit(out, "Completed", g_variant_new("(ssa{sv})", out->id, out->text->str, NULL));
    else
        write_line(out, "{\"event\":\"completed\",\"text\":\"%s\"}\n", out->text->str);
    out->ended = TRUE;
}

void out_fail(Out *out, const char *message) {
    if (out->ended)
        return;
    emit_rest(out);
    if (out->bus)
        emit(out, "Failed",
             g_variant_new("(sssa{sv})", out->id, "org.chappie.Error.Network", message, NULL));
    else
        write_line(out, "{\"event\":\"failed\",\"error\":\"org.chappie.Error.Network\",\"message\":\"%s\"}\n",
                   message);
    out->ended = TRUE;
}

static gboolean on_timer(GSource *source, GSourceFunc callback, gpointer data) {
    (void)callback;
    (void)data;
    emit_rest(((Timer *)source)->out);
    return G_SOURCE_CONTINUE;
}

static GSource *new_timer(Out *out) {
    static GSourceFuncs functions = {.dispatch = on_timer};
    GSource *timer = g_source_new(&functions, sizeof(Timer));
    ((Timer *)timer)->out = out;
    g_source_attach(timer, NULL);
    return timer;
}

// Sends the first delta at once, then at most one signal per interval.
static void add_text(Out *out, const char *text, gsize length) {
    g_string_append_len(out->text, text, (gssize)length);
    if (out->interval == 0 || g_get_monotonic_time() >= out->next)
        emit_rest(out);
    else if (g_source_get_ready_time(out->timer) < 0)
        g_source_set_ready_time(out->timer, out->next);
}

gboolean out_take(Out *out, const char *event) {
    static const char field[] = "\"delta\":\"";
    const char *start = strstr(event, field);
    if (start) {
        start += strlen(field);
        add_text(out, start, strcspn(start, "\""));
    } else if (strstr(event, "\"type\":\"response.completed\"")) {
        complete(out);
    }
    return out->ended;
}

static Out *new_out(gint64 interval) {
    Out *out = g_new0(Out, 1);
    out->line = -1;
    out->text = g_string_new(NULL);
    out->interval = interval;
    out->timer = new_timer(out);
    return out;
}

Out *out_new(GDBusConnection *bus, const char *caller, const char *id, gint64 interval) {
    Out *out = new_out(interval);
    out->bus = g_object_ref(bus);
    out->caller = g_strdup(caller);
    out->id = g_strdup(id);
    return out;
}

Out *out_new_line(int line, gint64 interval) {
    Out *out = new_out(interval);
    out->line = line;
    return out;
}

void out_free(Out *out) {
    g_source_destroy(out->timer);
    g_source_unref(out->timer);
    g_string_free(out->text, TRUE);
    g_clear_object(&out->bus);
    if (out->line >= 0)
        close(out->line);
    g_free(out->caller);
    g_free(out->id);
    g_free(out);
}
