/* Asks the model, and prints the answer as it arrives.
 *
 *   gcc -o ask ask.c $(pkg-config --cflags --libs gio-unix-2.0 json-glib-1.0)
 */
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

/* Opens a turn, and returns its socket. The turn ends when its caller leaves the bus: keep the connection. */
static GSocketConnection *open_turn(GDBusConnection *bus, GError **error) {
  g_autoptr(GUnixFDList) sockets = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_with_unix_fd_list_sync(
      bus, "org.chappie", "/org/chappie", "org.chappie.Client", "OpenTurn", g_variant_new("(a{sv})", NULL),
      G_VARIANT_TYPE("(sh)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, &sockets, NULL, error);
  if (reply == NULL) return NULL;
  gint32 index;
  g_variant_get(reply, "(&sh)", NULL, &index);
  int descriptor = g_unix_fd_list_get(sockets, index, error);
  if (descriptor < 0) return NULL;
  g_autoptr(GSocket) socket = g_socket_new_from_fd(descriptor, error);
  return socket ? g_socket_connection_factory_create_connection(socket) : NULL;
}

static gboolean ask(GSocketConnection *line, const char *question, GError **error) {
  g_autoptr(JsonBuilder) builder = json_builder_new();
  json_builder_begin_object(builder);
  json_builder_set_member_name(builder, "text");
  json_builder_add_string_value(builder, question);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autofree char *text = json_to_string(root, FALSE);
  return g_output_stream_printf(
      g_io_stream_get_output_stream(G_IO_STREAM(line)), NULL, NULL, error, "%s\n", text);
}

/* Prints what an event says. Returns FALSE, with the error if there is one, after the last event. */
static gboolean print_event(const char *text, GError **error) {
  g_autoptr(JsonNode) root = json_from_string(text, error);
  if (root == NULL) return FALSE;
  JsonObject *event = json_node_get_object(root);
  const char *name = json_object_get_string_member(event, "event");
  if (g_str_equal(name, "text-delta")) {
    fputs(json_object_get_string_member(event, "text"), stdout);
    fflush(stdout);
  } else if (g_str_equal(name, "completed")) {
    puts("");
    return FALSE;
  } else if (g_str_equal(name, "failed")) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, json_object_get_string_member(event, "message"));
    return FALSE;
  }
  return TRUE;
}

int main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_autofree char *question = g_strjoinv(" ", argv + (argc > 0));
  g_autoptr(GDBusConnection) bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
  g_autoptr(GSocketConnection) line = bus ? open_turn(bus, &error) : NULL;
  if (line != NULL && ask(line, question, &error)) {
    g_autoptr(GDataInputStream) events = g_data_input_stream_new(g_io_stream_get_input_stream(G_IO_STREAM(line)));
    gboolean goes_on = TRUE;
    while (goes_on) {
      g_autofree char *text = g_data_input_stream_read_line_utf8(events, NULL, NULL, &error);
      if (text == NULL && error == NULL)
        g_set_error_literal(&error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The service ended before it answered.");
      goes_on = text != NULL && print_event(text, &error);
    }
  }
  if (error != NULL) g_printerr("%s\n", error->message);
  return error != NULL;
}
