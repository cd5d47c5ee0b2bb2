// One turn of the floor: a request to the backend, answered as signals.
#pragma once

#include <gio/gio.h>
#include <libsoup/soup.h>

#define OBJECT_PATH "/org/chappie"
#define CLIENT_INTERFACE "org.chappie.Client"

typedef struct {
    SoupSession *http;
    char *url;
    gint64 interval; // microseconds between two signals of a turn; 0: a signal per delta
} Backend;

// Runs until the turn has ended with Completed or Failed, then frees itself.
void turn_start(const Backend *backend, GDBusConnection *bus, const char *caller, const char *id,
                const char *text);
