// One turn of the floor: libsoup in, a string search, GDBus out.

#include "turn.h"

#include <string.h>

typedef struct {
    GDBusConnection *bus;
    char *caller;
    char *id;
    SoupMessage *request;
    GInputStream *body;
    char chunk[16 * 1024];
    GString *unread; // bytes of the stream after the last whole line
    GString *text;   // the answer so far
    gsize sent;      // how much of it went out as signals
    gint64 interval;
    gint64 next; // the earliest time of the next signal
    GSource *timer;
    gboolean ended;
} Turn;

typedef struct {
    GSource source;
    Turn *turn;
} Timer;

static void read_on(Turn *turn);

// MARK: - Out

static void emit(Turn *turn, const char *name, GVariant *arguments) {
    g_dbus_connection_emit_signal(turn->bus, turn->caller, OBJECT_PATH, CLIENT_INTERFACE, name,
                                  arguments, NULL);
}

static void emit_text(Turn *turn) {
    emit(turn, "TextDelta",
         g_variant_new("(sts)", turn->id, (guint64)turn->sent, turn->text->str + turn->sent));
    turn->sent = turn->text->len;
    turn->next = g_get_monotonic_time() + turn->interval;
}

static void emit_rest(Turn *turn) {
    g_source_set_ready_time(turn->timer, -1);
    if (turn->sent < turn->text->len)
        emit_text(turn);
}

static void complete(Turn *turn) {
    emit_rest(turn);
    emit(turn, "Completed", g_variant_new("(ssa{sv})", turn->id, turn->text->str, NULL));
    turn->ended = TRUE;
}

static void fail(Turn *turn, const char *message) {
    if (turn->ended)
        return;
    emit_rest(turn);
    emit(turn, "Failed",
         g_variant_new("(sssa{sv})", turn->id, "org.chappie.Error.Network", message, NULL));
    turn->ended = TRUE;
}

static gboolean on_timer(GSource *source, GSourceFunc callback, gpointer data) {
    (void)callback;
    (void)data;
    emit_rest(((Timer *)source)->turn);
    return G_SOURCE_CONTINUE;
}

static GSource *new_timer(Turn *turn) {
    static GSourceFuncs functions = {.dispatch = on_timer};
    GSource *timer = g_source_new(&functions, sizeof(Timer));
    ((Timer *)timer)->turn = turn;
    g_source_attach(timer, NULL);
    return timer;
}

// The first delta at once, then at most one signal per interval.
static void add_text(Turn *turn, const char *text, gsize length) {
    g_string_append_len(turn->text, text, (gssize)length);
    if (turn->interval == 0 || g_get_monotonic_time() >= turn->next)
        emit_rest(turn);
    else if (g_source_get_ready_time(turn->timer) < 0)
        g_source_set_ready_time(turn->timer, turn->next);
}

// MARK: - Between

static void take_line(Turn *turn, const char *line) {
    static const char field[] = "\"delta\":\"";
    const char *start = strstr(line, field);
    if (start) {
        start += strlen(field);
        add_text(turn, start, strcspn(start, "\""));
    } else if (strstr(line, "\"type\":\"response.completed\"")) {
        complete(turn);
    }
}

static void take_bytes(Turn *turn, gsize length) {
    g_string_append_len(turn->unread, turn->chunk, (gssize)length);
    char *line = turn->unread->str;
    char *end = line + turn->unread->len;
    for (char *newline; (newline = memchr(line, '\n', (gsize)(end - line))); line = newline + 1) {
        *newline = '\0';
        take_line(turn, line);
    }
    g_string_erase(turn->unread, 0, line - turn->unread->str);
}

// MARK: - In

static void turn_free(Turn *turn) {
    g_source_destroy(turn->timer);
    g_source_unref(turn->timer);
    g_string_free(turn->unread, TRUE);
    g_string_free(turn->text, TRUE);
    g_clear_object(&turn->body);
    g_object_unref(turn->request);
    g_object_unref(turn->bus);
    g_free(turn->caller);
    g_free(turn->id);
    g_free(turn);
}

static void on_read(GObject *body, GAsyncResult *result, gpointer data) {
    Turn *turn = data;
    g_autoptr(GError) error = NULL;
    gssize length = g_input_stream_read_finish(G_INPUT_STREAM(body), result, &error);
    if (length > 0) {
        take_bytes(turn, (gsize)length);
        read_on(turn);
        return;
    }
    fail(turn, error ? error->message : "The stream ended early.");
    turn_free(turn);
}

static void read_on(Turn *turn) {
    g_input_stream_read_async(turn->body, turn->chunk, sizeof turn->chunk, G_PRIORITY_DEFAULT, NULL,
                              on_read, turn);
}

static void on_answer(GObject *http, GAsyncResult *result, gpointer data) {
    Turn *turn = data;
    g_autoptr(GError) error = NULL;
    turn->body = soup_session_send_finish(SOUP_SESSION(http), result, &error);
    if (turn->body && soup_message_get_status(turn->request) == SOUP_STATUS_OK) {
        read_on(turn);
        return;
    }
    fail(turn, error ? error->message : "The backend refused the request.");
    turn_free(turn);
}

static SoupMessage *new_request(const char *url, const char *text) {
    g_autofree char *escaped = g_strescape(text, NULL);
    g_autofree char *json = g_strdup_printf("{\"stream\":true,\"input\":\"%s\"}", escaped);
    g_autoptr(GBytes) body = g_bytes_new(json, strlen(json));
    SoupMessage *request = soup_message_new("POST", url);
    soup_message_set_request_body_from_bytes(request, "application/json", body);
    return request;
}

void turn_start(const Backend *backend, GDBusConnection *bus, const char *caller, const char *id,
                const char *text) {
    Turn *turn = g_new0(Turn, 1);
    turn->bus = g_object_ref(bus);
    turn->caller = g_strdup(caller);
    turn->id = g_strdup(id);
    turn->request = new_request(backend->url, text);
    turn->unread = g_string_new(NULL);
    turn->text = g_string_new(NULL);
    turn->interval = backend->interval;
    turn->timer = new_timer(turn);
    soup_session_send_async(backend->http, turn->request, G_PRIORITY_DEFAULT, NULL, on_answer, turn);
}
