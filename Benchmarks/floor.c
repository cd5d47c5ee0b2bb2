// SPDX-License-Identifier: Apache-2.0
// The floor: the minimum work of a D-Bus service with these libraries.
//
// It receives org.chappie.Client.Stream, asks the backend, and sends the deltas
// back as unicast signals; or OpenTurn, and it sends them as lines over a socket.
// No sign-in, no keyring, no JSON, no limits.

#include "turn.h"

#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    SoupSession *http;
    char *url;
    gint64 interval; // microseconds between two signals of a turn
    gboolean has_websocket;
} Floor;

static const char interface_xml[] =
    "<node><interface name='" CLIENT_INTERFACE "'>"
    "<method name='Stream'>"
    "<arg name='text' type='s' direction='in'/><arg name='options' type='a{sv}' direction='in'/>"
    "<arg name='turn' type='s' direction='out'/>"
    "</method>"
    "<method name='OpenTurn'>"
    "<arg name='options' type='a{sv}' direction='in'/>"
    "<arg name='turn' type='s' direction='out'/><arg name='stream' type='h' direction='out'/>"
    "</method>"
    "<signal name='TextDelta'>"
    "<arg name='turn' type='s'/><arg name='offset' type='t'/><arg name='text' type='s'/>"
    "</signal>"
    "<signal name='Completed'>"
    "<arg name='turn' type='s'/><arg name='text' type='s'/><arg name='details' type='a{sv}'/>"
    "</signal>"
    "<signal name='Failed'>"
    "<arg name='turn' type='s'/><arg name='error' type='s'/><arg name='message' type='s'/>"
    "<arg name='details' type='a{sv}'/>"
    "</signal>"
    "<property name='Version' type='u' access='read'/>"
    "</interface></node>";

static void ask(const Floor *floor, const char *text, Out *out) {
    g_autofree char *escaped = g_strescape(text, NULL);
    g_autofree char *question = g_strdup_printf("{\"stream\":true,\"input\":\"%s\"}", escaped);
    if (floor->has_websocket)
        turn_over_websocket(floor->http, floor->url, question, out);
    else
        turn_over_http(floor->http, floor->url, question, out);
}

// The question is the first line, and arrives whole: {"text":"..."}.
static gboolean on_question(gint line, GIOCondition condition, gpointer data) {
    static const char field[] = "\"text\":\"";
    const Floor *floor = data;
    char question[4096] = "";
    (void)condition;
    ssize_t length = read(line, question, sizeof question - 1);
    char *start = length > 0 ? strstr(question, field) : NULL;
    if (!start) {
        close(line);
        return G_SOURCE_REMOVE;
    }
    start += strlen(field);
    start[strcspn(start, "\"")] = '\0';
    ask(floor, start, out_new_line(line, floor->interval));
    return G_SOURCE_REMOVE;
}

static void open_turn(Floor *floor, const char *id, GDBusMethodInvocation *invocation) {
    g_autoptr(GUnixFDList) descriptors = g_unix_fd_list_new();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        g_unix_fd_list_append(descriptors, ends[1], NULL) < 0)
        g_error("no descriptors");
    close(ends[1]);
    g_unix_fd_add(ends[0], G_IO_IN, on_question, floor);
    g_dbus_method_invocation_return_value_with_unix_fd_list(invocation, g_variant_new("(sh)", id, 0),
                                                            descriptors);
}

static void on_call(GDBusConnection *bus, const char *caller, const char *path,
                    const char *interface, const char *method, GVariant *arguments,
                    GDBusMethodInvocation *invocation, gpointer data) {
    static guint turns = 0;
    Floor *floor = data;
    const char *text;
    char id[16];
    (void)path;
    (void)interface;
    g_snprintf(id, sizeof id, "%u", ++turns);
    if (g_str_equal(method, "OpenTurn")) {
        open_turn(floor, id, invocation);
        return;
    }
    g_variant_get_child(arguments, 0, "&s", &text);
    ask(floor, text, out_new(bus, caller, id, floor->interval));
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(s)", id));
}

static GVariant *on_get(GDBusConnection *bus, const char *caller, const char *path,
                        const char *interface, const char *property, GError **error, gpointer data) {
    (void)bus;
    (void)caller;
    (void)path;
    (void)interface;
    (void)property;
    (void)error;
    (void)data;
    return g_variant_new_uint32(1);
}

static void on_bus(GDBusConnection *bus, const char *name, gpointer data) {
    static const GDBusInterfaceVTable table = {.method_call = on_call, .get_property = on_get};
    g_autoptr(GError) error = NULL;
    g_autoptr(GDBusNodeInfo) node = g_dbus_node_info_new_for_xml(interface_xml, &error);
    (void)name;
    if (!node || !g_dbus_connection_register_object(bus, OBJECT_PATH, node->interfaces[0], &table,
                                                    data, NULL, &error))
        g_error("%s", error->message);
}

static void on_name_lost(GDBusConnection *bus, const char *name, gpointer data) {
    (void)bus;
    (void)data;
    g_printerr("floor: cannot own %s\n", name);
    exit(1);
}

int main(int argc, char **argv) {
    g_autofree char *name = g_strdup("org.chappie.Floor");
    g_autofree char *base = NULL;
    gboolean coalesce = FALSE, websocket = FALSE;
    GOptionEntry options[] = {
        {"name", 0, 0, G_OPTION_ARG_STRING, &name, "Bus name to own", "NAME"},
        {"backend", 0, 0, G_OPTION_ARG_STRING, &base, "Base URL of the backend", "URL"},
        {"coalesce", 0, 0, G_OPTION_ARG_NONE, &coalesce, "At most one signal per 2 ms and turn", NULL},
        {"websocket", 0, 0, G_OPTION_ARG_NONE, &websocket, "Ask over WebSockets, not over HTTP", NULL},
        {NULL},
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_option_context_add_main_entries(context, options, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error) || !base) {
        g_printerr("floor: %s\n", error ? error->message : "--backend is missing");
        return 2;
    }
    Floor floor = {
        .http = soup_session_new_with_options("max-conns", 64, "max-conns-per-host", 64, NULL),
        .url = g_strconcat(base, "/codex/responses", NULL),
        .interval = coalesce ? 2000 : 0,
        .has_websocket = websocket,
    };
    g_bus_own_name(G_BUS_TYPE_SESSION, name, G_BUS_NAME_OWNER_FLAGS_NONE, on_bus, NULL, on_name_lost,
                   &floor, NULL);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
