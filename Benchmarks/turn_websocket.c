// SPDX-License-Identifier: Apache-2.0
// Input with libsoup: WebSocket messages, one event each.

#include "turn.h"

typedef struct {
    Out *out;
    SoupMessage *request;
    SoupWebsocketConnection *socket;
    char *question;
} Turn;

static void turn_free(Turn *turn) {
    out_free(turn->out);
    g_clear_object(&turn->socket);
    g_object_unref(turn->request);
    g_free(turn->question);
    g_free(turn);
}

static void on_message(SoupWebsocketConnection *socket, gint type, GBytes *message, gpointer data) {
    Turn *turn = data;
    (void)type;
    // libsoup ends each message with a zero byte.
    if (out_take(turn->out, g_bytes_get_data(message, NULL)))
        soup_websocket_connection_close(socket, SOUP_WEBSOCKET_CLOSE_NORMAL, NULL);
}

static void on_closed(SoupWebsocketConnection *socket, gpointer data) {
    Turn *turn = data;
    (void)socket;
    out_fail(turn->out, "The connection was closed early.");
    turn_free(turn);
}

static void on_connected(GObject *http, GAsyncResult *result, gpointer data) {
    Turn *turn = data;
    g_autoptr(GError) error = NULL;
    turn->socket = soup_session_websocket_connect_finish(SOUP_SESSION(http), result, &error);
    if (!turn->socket) {
        out_fail(turn->out, error->message);
        turn_free(turn);
        return;
    }
    g_signal_connect(turn->socket, "message", G_CALLBACK(on_message), turn);
    g_signal_connect(turn->socket, "closed", G_CALLBACK(on_closed), turn);
    soup_websocket_connection_send_text(turn->socket, turn->question);
}

void turn_over_websocket(SoupSession *http, const char *url, const char *question, Out *out) {
    Turn *turn = g_new0(Turn, 1);
    turn->out = out;
    turn->question = g_strdup(question);
    turn->request = soup_message_new("GET", url);
    soup_session_websocket_connect_async(http, turn->request, NULL, NULL, G_PRIORITY_DEFAULT, NULL,
                                         on_connected, turn);
}
