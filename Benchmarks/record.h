// SPDX-License-Identifier: Apache-2.0
// A record of the received deltas: their ages, and whether all came in order.
#pragma once

#include <gio/gio.h>

// Prepares for this number of deltas in all.
void record_init(gsize deltas);

// Begins a round of turns with this number of deltas each.
void record_begin_round(guint turns, guint deltas_per_turn);

// Records a TextDelta signal that arrived at this time (CLOCK_MONOTONIC,
// nanoseconds).
void record_text(const char *turn, guint64 offset, const char *text, guint64 arrived);

// Records a Completed signal; TRUE when it was the last of the round.
gboolean record_completed(const char *turn);

// Prints one line of JSON about all rounds, the first of which began at this time;
// leaves the processor time out if negative.
void record_print(guint64 asked, double cpu_seconds);

// Reports an error on standard error and ends the program.
G_NORETURN void die(const char *format, ...) G_GNUC_PRINTF(1, 2);
