// SPDX-License-Identifier: Apache-2.0
// The output of a turn of the floor: its text as signals, and its end.
#pragma once

#include <gio/gio.h>

#define OBJECT_PATH "/org/chappie"
#define CLIENT_INTERFACE "org.chappie.Client"

typedef struct Out Out;

// Interval: microseconds between two signals; 0: a signal per delta.
Out *out_new(GDBusConnection *bus, const char *caller, const char *id, gint64 interval);

// The same, as lines over a socket, which it takes over.
Out *out_new_line(int line, gint64 interval);
void out_free(Out *out);

// Reads one event of the backend, a line or a message; TRUE when it was the last.
gboolean out_take(Out *out, const char *event);

// Ends the turn, unless it has ended.
void out_fail(Out *out, const char *message);
