// SPDX-License-Identifier: Apache-2.0
// Input with libsoup: server-sent events, line by line.

#include "turn.h"

#include <string.h>

typedef struct {
    Out *out;
    SoupMessage *request;
    GInputStream *body;
    char chunk[16 * 1024];
    GString *unread; // bytes of the stream after the last whole line
} Turn;

static void read_on(Turn *turn);

static void turn_free(Turn *turn) {
    out_free(turn->out);
    g_string_free(turn->unread, TRUE);
    g_clear_object(&turn->body);
    g_object_unref(turn->request);
    g_free(turn);
}

static void take_bytes(Turn *turn, gsize length) {
    g_string_append_len(turn->unread, turn->chunk, (gssize)length);
    char *line = turn->unread->str;
    char *end = line + turn->unread->len;
    for (char *newline; (newline = memchr(line, '\n', (gsize)(end - line))); line = newline + 1) {
        *newline = '\0';
        out_take(turn->out, line);
    }
    g_string_erase(turn->unread, 0, line - turn->unread->str);
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
    out_fail(turn->out, error ? error->message : "The stream ended early.");
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
    out_fail(turn->out, error ? error->message : "The backend refused the request.");
    turn_free(turn);
}

void turn_over_http(SoupSession *http, const char *url, const char *question, Out *out) {
    g_autoptr(GBytes) body = g_bytes_new(question, strlen(question));
    Turn *turn = g_new0(Turn, 1);
    turn->out = out;
    turn->unread = g_string_new(NULL);
    turn->request = soup_message_new("POST", url);
    soup_message_set_request_body_from_bytes(turn->request, "application/json", body);
    soup_session_send_async(http, turn->request, G_PRIORITY_DEFAULT, NULL, on_answer, turn);
}
