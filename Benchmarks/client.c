// SPDX-License-Identifier: Apache-2.0
// The measuring client, the same for the floor and for the service.
//
// Starts turns, receives their signals, and prints one line of JSON. A message
// filter on GDBus's own thread receives the signals: a signal subscription would
// add a hop to the main loop to every measurement.

#define _GNU_SOURCE
#include "lines.h"
#include "record.h"

#include <stdio.h>
#include <time.h>

#define CLIENT_INTERFACE "org.chappie.Client"

static char *service = NULL;
static char *path = "/org/chappie";
static int turn_count = 1, delta_count = 200, rate = 100, size = 24, rounds = 1, service_pid = 0;
static gboolean continues = FALSE, activates = FALSE, over_lines = FALSE, follows = FALSE;

static const GOptionEntry options[] = {
    {"name", 0, 0, G_OPTION_ARG_STRING, &service, "Bus name of the service", "NAME"},
    {"path", 0, 0, G_OPTION_ARG_STRING, &path, "Object that streams", "PATH"},
    {"turns", 0, 0, G_OPTION_ARG_INT, &turn_count, "Turns at once", "T"},
    {"count", 0, 0, G_OPTION_ARG_INT, &delta_count, "Deltas in a turn", "N"},
    {"rate", 0, 0, G_OPTION_ARG_INT, &rate, "Deltas per second and turn; 0: flat out", "R"},
    {"size", 0, 0, G_OPTION_ARG_INT, &size, "Bytes of a delta, at least", "S"},
    {"rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "How often, one after the other", "K"},
    {"continue", 0, 0, G_OPTION_ARG_NONE, &continues, "Append each turn to the conversation", NULL},
    {"pid", 0, 0, G_OPTION_ARG_INT, &service_pid, "Measure this process's processor time", "PID"},
    {"line", 0, 0, G_OPTION_ARG_NONE, &over_lines, "Each turn over a socket of its own", NULL},
    {"follow", 0, 0, G_OPTION_ARG_NONE, &follows, "Receive all signals and ask for nothing, for ever", NULL},
    {"activate", 0, 0, G_OPTION_ARG_NONE, &activates, "Measure the start of the service instead", NULL},
    {NULL},
};

static guint64 now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (guint64)t.tv_sec * 1000000000u + (guint64)t.tv_nsec;
}

// The processor time of all threads of the service, ended ones too, in
// nanoseconds: finer than /proc/PID/stat, and unlike /proc/PID/schedstat it
// counts ended threads.
static double cpu_seconds(void) {
    clockid_t clock;
    struct timespec t;
    if (service_pid == 0)
        return -1;
    if (clock_getcpuclockid(service_pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        die("no process %d", service_pid);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// MARK: - Turns

static void take_text(GVariant *arguments, guint64 arrived) {
    const char *turn, *text;
    guint64 offset;
    g_variant_get(arguments, "(&st&s)", &turn, &offset, &text);
    record_text(turn, offset, text, arrived);
}

static void quit(gpointer loop) {
    g_main_loop_quit(loop);
}

static void take_completed(GVariant *arguments, GMainLoop *loop) {
    const char *turn;
    g_variant_get_child(arguments, 0, "&s", &turn);
    if (record_completed(turn))
        g_idle_add_once(quit, loop);
}

static void take_failed(GVariant *arguments) {
    const char *turn, *name, *message;
    g_variant_get_child(arguments, 0, "&s", &turn);
    g_variant_get_child(arguments, 1, "&s", &name);
    g_variant_get_child(arguments, 2, "&s", &message);
    die("turn %s failed: %s: %s", turn, name, message);
}

static GDBusMessage *on_message(GDBusConnection *bus, GDBusMessage *message, gboolean incoming,
                                gpointer loop) {
    guint64 arrived = now_ns();
    (void)bus;
    if (!incoming || g_dbus_message_get_message_type(message) != G_DBUS_MESSAGE_TYPE_SIGNAL ||
        g_strcmp0(g_dbus_message_get_interface(message), CLIENT_INTERFACE) != 0)
        return message;
    const char *name = g_dbus_message_get_member(message);
    GVariant *arguments = g_dbus_message_get_body(message);
    if (g_str_equal(name, "TextDelta"))
        take_text(arguments, arrived);
    else if (g_str_equal(name, "Completed"))
        take_completed(arguments, loop);
    else if (g_str_equal(name, "Failed"))
        take_failed(arguments);
    g_object_unref(message);
    return NULL;
}

static void on_started(GObject *bus, GAsyncResult *result, gpointer data) {
    g_autoptr(GError) error = NULL;
    (void)data;
    g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, &error);
    if (!reply)
        die("Stream: %s", error->message);
}

static char *question(void) {
    return g_strdup_printf("bench count=%d rate=%d size=%d", delta_count, rate, size);
}

static GVariant *stream_arguments(void) {
    GVariantBuilder dictionary = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE_VARDICT);
    g_autofree char *text = question();
    if (continues)
        g_variant_builder_add(&dictionary, "{sv}", "continue", g_variant_new_boolean(TRUE));
    return g_variant_new("(sa{sv})", text, &dictionary);
}

static void run_round(GDBusConnection *bus, GMainLoop *loop) {
    record_begin_round((guint)turn_count, (guint)delta_count);
    for (int i = 0; i < turn_count; i++)
        g_dbus_connection_call(bus, service, path, CLIENT_INTERFACE, "Stream", stream_arguments(),
                               G_VARIANT_TYPE("(s)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_started,
                               NULL);
    g_main_loop_run(loop);
}

static void measure_turns(GDBusConnection *bus) {
    g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
    g_autofree char *text = question();
    record_init((gsize)rounds * (gsize)turn_count * (gsize)delta_count);
    g_dbus_connection_add_filter(bus, on_message, loop, NULL);
    double before = cpu_seconds();
    guint64 asked = now_ns();
    for (int i = 0; i < rounds; i++) {
        if (!over_lines) {
            run_round(bus, loop);
            continue;
        }
        record_begin_round((guint)turn_count, (guint)delta_count);
        lines_run(bus, service, path, (guint)turn_count, text, now_ns);
    }
    record_print(asked, service_pid ? cpu_seconds() - before : -1);
}

// MARK: - Start

static GVariant *call(GDBusConnection *bus, const char *name, const char *object,
                      const char *interface, const char *method, GVariant *arguments) {
    g_autoptr(GError) error = NULL;
    GVariant *reply = g_dbus_connection_call_sync(bus, name, object, interface, method, arguments, NULL,
                                                  G_DBUS_CALL_FLAGS_NONE, 10000, NULL, &error);
    if (!reply)
        die("%s: %s", method, error->message);
    return reply;
}

static gboolean service_runs(GDBusConnection *bus) {
    gboolean owned;
    g_autoptr(GVariant) reply = call(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                     "org.freedesktop.DBus", "NameHasOwner",
                                     g_variant_new("(s)", service));
    g_variant_get(reply, "(b)", &owned);
    return owned;
}

// From a call to a name without an owner to its reply.
static void measure_start(GDBusConnection *bus) {
    for (int tries = 0; service_runs(bus); tries++) {
        if (tries == 1000)
            die("%s still runs", service);
        g_usleep(1000);
    }
    guint64 asked = now_ns();
    g_autoptr(GVariant) reply = call(bus, service, path, "org.freedesktop.DBus.Properties", "Get",
                                     g_variant_new("(ss)", CLIENT_INTERFACE, "Version"));
    printf("{\"start_ms\": %.3f}\n", (double)(now_ns() - asked) / 1e6);
}

// MARK: - Followers

static void follow(GDBusConnection *bus) {
    static const char *const interfaces[] = {CLIENT_INTERFACE, "org.chappie.Session", "org.chappie.Manager"};
    g_autoptr(GError) error = NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(interfaces); i++)
        if (!g_dbus_proxy_new_sync(bus, G_DBUS_PROXY_FLAGS_NONE, NULL, service, path, interfaces[i], NULL,
                                   &error))
            die("%s: %s", interfaces[i], error->message);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}

int main(int argc, char **argv) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_option_context_add_main_entries(context, options, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error))
        die("%s", error->message);
    if (!service || turn_count < 1 || delta_count < 1 || rounds < 1)
        die("--name is missing, or a number is not above zero");
    g_autoptr(GDBusConnection) bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    if (!bus)
        die("%s", error->message);
    if (follows)
        follow(bus);
    else if (activates)
        measure_start(bus);
    else
        measure_turns(bus);
}
