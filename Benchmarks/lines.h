// SPDX-License-Identifier: Apache-2.0
// Turns over sockets of their own: opens them, asks, and reads their lines.
#pragma once

#include <gio/gio.h>

// Runs this number of turns at once to their ends, and records them. The clock
// gives nanoseconds.
void lines_run(GDBusConnection *bus, const char *service, const char *path, guint turns, const char *question,
               guint64 (*clock)(void));
