// SPDX-License-Identifier: Apache-2.0
/* Asks the model, and prints the answer as it arrives. gdbus-codegen makes chappie.c: see Makefile. */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include "chappie.c"

int main(int argc, char **argv) {
  GError *error = NULL; GUnixFDList *fds = NULL;
  Client *client = client_proxy_new_for_bus_sync(G_BUS_TYPE_SESSION, 0, "org.chappie", "/org/chappie", NULL, &error);
  if (error || !client_call_open_turn_sync(client, g_variant_new("a{sv}", NULL), NULL, NULL, NULL, &fds, NULL, &error))
    return dprintf(2, "%s\n", error->message), 1;
  int line = g_unix_fd_list_get(fds, 0, NULL);
  dprintf(line, "%s\n", json_gvariant_serialize_data(g_variant_new_parsed("{'text': %s}", argv[argc - 1]), NULL));
  GIOChannel *lines = g_io_channel_unix_new(line);
  for (char *text; g_io_channel_read_line(lines, &text, NULL, NULL, NULL) == G_IO_STATUS_NORMAL; g_free(text)) {
    JsonObject *event = json_node_get_object(json_from_string(text, NULL));
    const char *name = json_object_get_string_member(event, "event");
    if (g_str_equal(name, "text-delta")) dprintf(1, "%s", json_object_get_string_member(event, "text"));
    if (g_str_equal(name, "completed")) return dprintf(1, "\n"), 0;
    if (g_str_equal(name, "failed")) return dprintf(2, "%s\n", json_object_get_string_member(event, "message")), 1;
  }
  return dprintf(2, "\nThe service ended before it answered.\n"), 1;
}
